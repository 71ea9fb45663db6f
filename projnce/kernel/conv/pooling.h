#pragma once

#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/epilogue.h"
#include "projnce/kernel/conv/input_transform.h"
#include "projnce/kernel/conv/loop_args.h"

namespace projnce::kernel {

/// Max-pooling of the maps given by `source`, into `out`.
template <class T>
void max_pool_maps(const PoolGeometry& geometry, const ActivationShape& shape,
                   const InputTransform<T>& source, T* out, Workspace& workspace);

/// Backward of max-pooling: computes `gradient` from `out_gradient`; `out` are the pooled maps.
/// `epilogue` is applied to each block of `gradient`.
template <class T>
void max_pool_backward(const PoolGeometry& geometry, const ActivationShape& shape,
                       const InputTransform<T>& source, const T* out, const T* out_gradient,
                       T* gradient, const Epilogue& epilogue, Workspace& workspace);

/// Adaptive average pooling to a grid, as in LibTorch: features [N][C][grid][grid] of the maps
/// given by `source`.
template <class T>
void adaptive_avg_pool(const ActivationShape& shape, const InputTransform<T>& source, int64_t grid,
                       T* features, Workspace& workspace);

/// Backward of adaptive_avg_pool; `epilogue` is applied to each block of `gradient`.
template <class T>
void adaptive_avg_pool_backward(const ActivationShape& shape, const T* feature_gradient,
                                int64_t grid, T* gradient, const Epilogue* epilogue);

}  // namespace projnce::kernel
