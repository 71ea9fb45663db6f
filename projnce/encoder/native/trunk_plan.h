#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "projnce/encoder/batch_norm.h"
#include "projnce/encoder/conv.h"
#include "projnce/kernel/conv/pool_args.h"

namespace projnce {

/// Convolution, batch-norm, ReLU and, where said, max-pooling.
struct PlainPlan {
  torch::nn::Conv2d conv{nullptr};
  BatchNorm norm{nullptr};
  std::optional<PoolGeometry> pool;
};

/// Two of them around a shortcut: the input itself, or a convolution and batch-norm of it.
struct ResidualPlan {
  torch::nn::Conv2d conv1{nullptr};
  BatchNorm norm1{nullptr};
  torch::nn::Conv2d conv2{nullptr};
  BatchNorm norm2{nullptr};
  torch::nn::Conv2d shortcut{nullptr};  ///< empty: the input itself
  BatchNorm shortcut_norm{nullptr};
};

/// The modules of an encoder in the order in which maps go through them, for the native engine; it
/// trains the very parameters that the modules hold. At the end maps are averaged over a grid.
struct TrunkPlan {
  std::vector<std::variant<PlainPlan, ResidualPlan>> parts;
  int64_t grid = 1;  ///< fields along each side
};

}  // namespace projnce
