#pragma once

#include "projnce/kernel/conv/epilogue.h"
#include "projnce/kernel/conv/input_transform.h"
#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/conv/workspace.h"

namespace projnce::kernel {

/// Max-pooling of the maps that `source` makes, into `out`.
template <class T>
void max_pool_maps(const PoolGeometry& geometry, const ActivationShape& shape,
                   const InputTransform<T>& source, T* out, Workspace& workspace);

/// gradient = what max-pooling sends back of `out_gradient`; `out` are the pooled maps. `finish`
/// sees each block of `gradient`.
template <class T>
void max_pool_gradient(const PoolGeometry& geometry, const ActivationShape& shape,
                       const InputTransform<T>& source, const T* out, const T* out_gradient,
                       T* gradient, const Epilogue& finish, Workspace& workspace);

/// Averages over a grid of fields, as LibTorch's adaptive pooling cuts them: features
/// [N][C][grid][grid] of the maps that `source` makes.
template <class T>
void average_fields(const ActivationShape& shape, const InputTransform<T>& source, int64_t grid,
                    T* features, Workspace& workspace);

/// gradient = what the averages send back; `finish` sees each block of it.
template <class T>
void spread_fields(const ActivationShape& shape, const T* feature_gradient, int64_t grid,
                   T* gradient, const Epilogue* finish);

}  // namespace projnce::kernel
