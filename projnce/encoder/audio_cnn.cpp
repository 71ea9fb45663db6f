#include "projnce/encoder/audio_cnn.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/pooling.h>

#include "projnce/core/error.h"
#include "projnce/encoder/layers.h"
#include "projnce/encoder/native/native_engine.h"

namespace projnce::encoder {

namespace {

constexpr int64_t kLayers = 3;
constexpr int64_t kSmallestSide = int64_t{1} << kLayers;  // each layer halves it
constexpr size_t kModulesPerLayer = 4;
constexpr kernel::PoolGeometry kPool{.window = 2, .stride = 2, .padding = 0};

}  // namespace

AudioCnn::AudioCnn(const AudioCnnOptions& options)
    : grid_(options.pool == AudioPool::kGrid ? 4 : 1),
      feature_dim_(grid_ * grid_ * options.width << (kLayers - 1)),
      engine_(options.engine),
      layers_(torch::nn::Sequential()) {
  const auto& input = options.input;
  if (input.height < kSmallestSide || input.width < kSmallestSide) {
    fail(Hint{"use longer clips or more mel bands, or encoder.name = 'mlp' for feature vectors"},
         "encoder audio-cnn: the input is ", input.height, " x ", input.width,
         ", expected at least ", kSmallestSide, " x ", kSmallestSide);
  }
  int64_t channels = input.channels;
  for (int64_t i = 0; i < kLayers; ++i) {
    const int64_t out = options.width << i;
    layers_->push_back(make_conv(channels, out, /*kernel=*/3, /*stride=*/1));
    layers_->push_back(BatchNorm(out));
    layers_->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(/*inplace=*/true)));
    layers_->push_back(torch::nn::MaxPool2d(kPool.window));
    channels = out;
  }
  register_module("layers", layers_);
  if (is_native(engine_)) native_ = std::make_unique<NativeEngine>(plan());
}

AudioCnn::~AudioCnn() = default;

BackboneSpec AudioCnn::plan() const {
  BackboneSpec plan{.parts = {}, .grid = grid_};
  for (size_t i = 0; i < layers_->size(); i += kModulesPerLayer) {
    plan.parts.emplace_back(
        ConvBnReluSpec{.conv = std::dynamic_pointer_cast<torch::nn::Conv2dImpl>(layers_->ptr(i)),
                       .norm = std::dynamic_pointer_cast<BatchNormImpl>(layers_->ptr(i + 1)),
                       .pool = kPool});
  }
  return plan;
}

torch::Tensor AudioCnn::forward(const torch::Tensor& images) {
  if (native_ && native_->supports(images, is_training())) {
    return native_->forward(images, is_training());
  }
  const auto maps = layers_->forward(images);
  return torch::adaptive_avg_pool2d(maps, {grid_, grid_}).flatten(1);  // [N, F]
}

std::string AudioCnn::describe() const {
  const int64_t last = feature_dim_ / (grid_ * grid_);
  return concat("three 3x3 convolutions of ", last / 4, ", ", last / 2, " and ", last,
                " channels, ", describe_engine(engine_));
}

}  // namespace projnce::encoder
