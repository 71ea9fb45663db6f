#include "projnce/encoder/resnet.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <algorithm>
#include <memory>

#include "projnce/core/error.h"
#include "projnce/encoder/native/native_engine.h"

namespace projnce::encoder {

ResidualBlockImpl::ResidualBlockImpl(int64_t in_channels, int64_t out_channels, int64_t stride)
    : conv1_(register_module("conv1", make_conv(in_channels, out_channels, 3, stride))),
      bn1_(register_module("bn1", BatchNorm(out_channels))),
      conv2_(register_module("conv2", make_conv(out_channels, out_channels, 3, 1))),
      bn2_(register_module("bn2", BatchNorm(out_channels))) {
  if (stride != 1 || in_channels != out_channels) {
    downsample_ = register_module(
        "downsample", torch::nn::Sequential(make_conv(in_channels, out_channels, 1, stride),
                                            BatchNorm(out_channels)));
  }
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& input) {
  auto output = bn1_(conv1_(input)).relu_();
  output = bn2_(conv2_(output));
  output += downsample_.is_empty() ? input : downsample_->forward(input);
  return output.relu_();
}

ResidualBlockSpec ResidualBlockImpl::plan() const {
  ResidualBlockSpec plan{.conv1 = conv1_, .norm1 = bn1_, .conv2 = conv2_, .norm2 = bn2_};
  if (!downsample_.is_empty()) {
    plan.shortcut = std::dynamic_pointer_cast<torch::nn::Conv2dImpl>(downsample_->ptr(0));
    plan.shortcut_norm = std::dynamic_pointer_cast<BatchNormImpl>(downsample_->ptr(1));
  }
  return plan;
}

namespace {

constexpr int64_t kLargestSmallImage = 96;
constexpr kernel::PoolGeometry kStemPool{.window = 3, .stride = 2, .padding = 1};

/// He initialization with fan-out, as in torchvision.
void initialize_convolutions(torch::nn::Module& module) {
  for (const auto& child : module.modules(/*include_self=*/false)) {
    if (auto* conv = child->as<torch::nn::Conv2d>()) {
      torch::nn::init::kaiming_normal_(conv->weight, 0.0, torch::kFanOut, torch::kReLU);
    }
  }
}

}  // namespace

Stem resolve_stem(Stem stem, const InputShape& input) {
  if (stem != Stem::kAuto) return stem;
  return std::max(input.height, input.width) <= kLargestSmallImage ? Stem::kSmall : Stem::kStandard;
}

ResNet::ResNet(const ResNetOptions& options)
    : feature_dim_(options.widths.back()),
      max_pool_(resolve_stem(options.stem, options.input) == Stem::kStandard),
      engine_(options.engine) {
  int64_t channels = options.widths.front();
  conv1_ = register_module("conv1", max_pool_ ? make_conv(options.input.channels, channels, 7, 2)
                                              : make_conv(options.input.channels, channels, 3,
                                                          options.small_stem_stride));
  bn1_ = register_module("bn1", BatchNorm(channels));
  for (size_t i = 0; i < options.widths.size(); ++i) {
    stages_.push_back(add_stage("layer" + std::to_string(i + 1), channels, options.widths[i],
                                options.blocks_per_stage, i == 0 ? 1 : 2));
    channels = options.widths[i];
  }
  initialize_convolutions(*this);
  if (is_native(engine_)) native_ = std::make_unique<NativeEngine>(plan());
}

ResNet::~ResNet() = default;

torch::nn::Sequential ResNet::add_stage(const std::string& name, int64_t in_channels,
                                        int64_t out_channels, int64_t blocks, int64_t stride) {
  torch::nn::Sequential stage;
  for (int64_t i = 0; i < blocks; ++i) {
    stage->push_back(
        ResidualBlock(i == 0 ? in_channels : out_channels, out_channels, i == 0 ? stride : 1));
  }
  return register_module(name, stage);
}

BackboneSpec ResNet::plan() const {
  BackboneSpec plan;
  ConvBnReluSpec stem{.conv = conv1_, .norm = bn1_};
  if (max_pool_) stem.pool = kStemPool;
  plan.parts.emplace_back(stem);
  for (const auto& stage : stages_) {
    for (const auto& block : *stage) plan.parts.emplace_back(block.get<ResidualBlockImpl>().plan());
  }
  return plan;
}

std::string ResNet::describe() const {
  const auto stem = max_pool_
                        ? std::string("standard stem (7x7, stride 2, max-pooling)")
                        : concat("small stem (3x3, stride ", conv1_->options.stride()->at(0), ")");
  return concat(stem, ", ", describe_engine(engine_));
}

torch::Tensor ResNet::forward(const torch::Tensor& images) {
  if (native_ && native_->supports(images, is_training())) {
    return native_->forward(images, is_training());
  }
  return forward_modules(images);
}

torch::Tensor ResNet::forward_modules(const torch::Tensor& images) {
  auto x = bn1_(conv1_(images)).relu_();
  if (max_pool_) x = torch::max_pool2d(x, kStemPool.window, kStemPool.stride, kStemPool.padding);
  for (auto& stage : stages_) x = stage->forward(x);
  return x.mean({2, 3});  // [N, F]
}

}  // namespace projnce::encoder
