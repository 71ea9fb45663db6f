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

/// Convolution, batch-norm, ReLU and, where said, max-pooling.
struct ConvBnReluSpec {
  torch::nn::Conv2d conv{nullptr};
  BatchNorm norm{nullptr};
  std::optional<kernel::PoolGeometry> pool;
};

/// Two of them around a shortcut: the input itself, or a convolution and batch-norm of it.
struct ResidualBlockSpec {
  torch::nn::Conv2d conv1{nullptr};
  BatchNorm norm1{nullptr};
  torch::nn::Conv2d conv2{nullptr};
  BatchNorm norm2{nullptr};
  torch::nn::Conv2d shortcut{nullptr};  ///< empty: the input itself
  BatchNorm shortcut_norm{nullptr};
};

/// The modules of an encoder in the order in which maps go through them, for the native engine; it
/// trains the very parameters that the modules hold. At the end maps are averaged over a grid.
struct BackboneSpec {
  std::vector<std::variant<ConvBnReluSpec, ResidualBlockSpec>> parts;
  int64_t grid = 1;  ///< fields along each side
};

struct NativeBackbones;

/// Runs an encoder's modules by own kernels, as one step of autograd: convolutions by Winograd's
/// algorithm, maps in blocks of channels throughout, batch-norm, ReLU and shortcuts inside the
/// passes that read or write maps anyway, memory kept from one step to the next. Parameters,
/// buffers and their names are the modules' own.
///
/// One caller at a time computes; results are the same bits for any number of threads.
class NativeEngine {
 public:
  explicit NativeEngine(BackboneSpec plan);

  /// Whether it can: floats or doubles on the CPU, of the parameters' own type, at least one image;
  /// gradients in training only, and by parameters only.
  bool takes(const torch::Tensor& images, bool training) const;
  /// [N, C, H, W] -> [N, F].
  torch::Tensor forward(const torch::Tensor& images, bool training);

 private:
  std::shared_ptr<NativeBackbones> trunks_;
};

}  // namespace projnce::encoder
