#pragma once

#include <torch/types.h>

#include <memory>

#include "projnce/encoder/native/trunk_plan.h"

namespace projnce {

struct NativeTrunks;

/// Runs an encoder's modules by own kernels, as one step of autograd: convolutions by Winograd's
/// algorithm, maps in blocks of channels throughout, batch-norm, ReLU and shortcuts inside the
/// passes that read or write maps anyway, memory kept from one step to the next. Parameters,
/// buffers and their names are the modules' own.
///
/// One caller at a time computes; results are the same bits for any number of threads.
class NativeEngine {
 public:
  explicit NativeEngine(TrunkPlan plan);

  /// Whether it can: floats or doubles on the CPU, of the parameters' own type, at least one image;
  /// gradients in training only, and by parameters only.
  bool takes(const torch::Tensor& images, bool training) const;
  /// [N, C, H, W] -> [N, F].
  torch::Tensor forward(const torch::Tensor& images, bool training);

 private:
  std::shared_ptr<NativeTrunks> trunks_;
};

}  // namespace projnce
