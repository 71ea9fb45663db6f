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

/// Two 3x3 convolutions around a shortcut (He et al. 2016), submodules named as torchvision names
/// them. The shortcut is a strided 1x1 convolution where shapes change.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(int64_t in_channels, int64_t out_channels, int64_t stride);
  /// [N, in_channels, H, W] to [N, out_channels, H / stride, W / stride].
  torch::Tensor forward(const torch::Tensor& input);
  /// Its modules, for the native engine.
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

/// How images enter.
enum class Stem {
  kAuto,      ///< small up to 96 pixels, standard above
  kSmall,     ///< 3x3 stride 1, for images of 96 pixels and less
  kStandard,  ///< 7x7 stride 2 and max-pooling, as for ImageNet
};

/// What a ResNet is built from.
struct ResNetOptions {
  InputShape input;                                   ///< of the images
  std::vector<int64_t> widths = {64, 128, 256, 512};  ///< channels of each stage
  int64_t blocks_per_stage = 2;   ///< residual blocks; 2 makes ResNet-18 of four stages
  Stem stem = Stem::kAuto;        ///< the first layer
  int64_t small_stem_stride = 1;  ///< 2 quarters the work of everything behind the stem
  Engine engine = Engine::kAuto;  ///< who computes
};

/// Residual network (He et al. 2016), global average pooling at its end: F = widths.back().
/// Parameter names and shapes are torchvision's, without its last layer `fc`.
class ResNet : public Encoder {
 public:
  explicit ResNet(const ResNetOptions& options);
  ~ResNet() override;
  torch::Tensor forward(const torch::Tensor& images) override;
  int64_t feature_dim() const override { return feature_dim_; }
  std::string describe() const override;
  /// Whether the stem ends in max-pooling: 3x3, stride 2, padding 1.
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

/// The stem that kAuto stands for.
Stem resolve_stem(Stem stem, const InputShape& input);

}  // namespace projnce::encoder
