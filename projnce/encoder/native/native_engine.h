#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "projnce/encoder/layers.h"
#include "projnce/kernel/conv/loop_args.h"

namespace projnce::encoder {

/// Convolution, batch-norm, ReLU and optional max-pooling.
struct ConvBnReluSpec {
  torch::nn::Conv2d conv{nullptr};
  BatchNorm norm{nullptr};
  std::optional<kernel::PoolGeometry> pool;
};

/// Residual block of two convolutions with batch-norm; the shortcut is the identity or a
/// convolution with batch-norm.
struct ResidualBlockSpec {
  torch::nn::Conv2d conv1{nullptr};
  BatchNorm norm1{nullptr};
  torch::nn::Conv2d conv2{nullptr};
  BatchNorm norm2{nullptr};
  torch::nn::Conv2d shortcut{nullptr};  ///< empty: identity
  BatchNorm shortcut_norm{nullptr};
};

/// The modules of an encoder in forward order, followed by average pooling to a grid. The native
/// engine uses the parameters of these modules.
struct BackboneSpec {
  std::vector<std::variant<ConvBnReluSpec, ResidualBlockSpec>> parts;
  int64_t grid = 1;  ///< cells per side
};

struct NativeBackbones;

/// Runs an encoder's modules with projnce's kernels, as one autograd function: Winograd
/// convolutions, a channel-blocked layout throughout, batch-norm, ReLU and shortcuts fused into the
/// passes that read or write feature maps, and memory reused across steps. Parameters, buffers and
/// their names are those of the modules.
///
/// Calls are serialized. Results are bit-identical for any number of threads.
class NativeEngine {
 public:
  explicit NativeEngine(BackboneSpec plan);

  /// Returns true if `forward` supports this input: float or double on the CPU with the type of the
  /// parameters, at least one image, gradients only in training and only for parameters, and no
  /// autocast.
  bool supports(const torch::Tensor& images, bool training) const;
  /// [N, C, H, W] -> [N, F].
  torch::Tensor forward(const torch::Tensor& images, bool training);

 private:
  std::shared_ptr<NativeBackbones> backbones_;
};

}  // namespace projnce::encoder
