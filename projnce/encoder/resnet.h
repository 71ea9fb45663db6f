#pragma once

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "projnce/encoder/encoder.h"
#include "projnce/encoder/layers.h"

namespace projnce::encoder {

struct ResidualBlockSpec;

/// Residual block of two 3x3 convolutions (He et al. 2016), with torchvision's submodule names. The
/// shortcut is a strided 1x1 convolution if the shape changes.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(int64_t in_channels, int64_t out_channels, int64_t stride);
  /// [N, in_channels, H, W] -> [N, out_channels, H / stride, W / stride].
  torch::Tensor forward(const torch::Tensor& input);
  /// Returns the submodules for the native engine.
  ResidualBlockSpec plan() const;

 private:
  torch::nn::Conv2d conv1_;
  BatchNorm bn1_;
  torch::nn::Conv2d conv2_;
  BatchNorm bn2_;
  torch::nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(ResidualBlock);

class NativeEngine;
struct BackboneSpec;

/// First layer of a ResNet.
enum class Stem {
  kAuto,      ///< kSmall for images up to 96 pixels, otherwise kStandard
  kSmall,     ///< 3x3, stride 1; for images up to 96 pixels
  kStandard,  ///< 7x7, stride 2 and max-pooling; for ImageNet sizes
};

/// Options of ResNet.
struct ResNetOptions {
  InputShape input;                                   ///< image shape
  std::vector<int64_t> widths = {64, 128, 256, 512};  ///< channels of each stage
  int64_t blocks_per_stage = 2;   ///< residual blocks; 2 with four stages is ResNet-18
  Stem stem = Stem::kAuto;        ///< first layer
  int64_t small_stem_stride = 1;  ///< 2 reduces the work after the stem by a factor of 4
  Engine engine = Engine::kAuto;  ///< implementation of the convolutions
};

/// Residual network (He et al. 2016) with global average pooling: F = widths.back(). Parameter
/// names and shapes are those of torchvision, without the last layer `fc`.
class ResNet : public Encoder {
 public:
  explicit ResNet(const ResNetOptions& options);
  ~ResNet() override;
  torch::Tensor forward(const torch::Tensor& images) override;
  int64_t feature_dim() const override { return feature_dim_; }
  std::string describe() const override;
  /// Returns true if the stem ends with max-pooling (3x3, stride 2, padding 1).
  bool has_max_pool() const { return max_pool_; }

 private:
  torch::nn::Sequential add_stage(const std::string& name, int64_t in_channels,
                                  int64_t out_channels, int64_t blocks, int64_t stride);

  torch::Tensor forward_modules(const torch::Tensor& images);
  BackboneSpec plan() const;

  int64_t feature_dim_;
  bool max_pool_;
  Engine engine_;
  torch::nn::Conv2d conv1_{nullptr};
  BatchNorm bn1_{nullptr};
  std::vector<torch::nn::Sequential> stages_;
  std::unique_ptr<NativeEngine> native_;
};

/// Resolves kAuto for the given input shape.
Stem resolve_stem(Stem stem, const InputShape& input);

}  // namespace projnce::encoder
