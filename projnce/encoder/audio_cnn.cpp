#include "projnce/encoder/audio_cnn.h"

#include <torch/torch.h>

#include "projnce/core/error.h"
#include "projnce/encoder/batch_norm.h"
#include "projnce/encoder/conv.h"

namespace projnce {

namespace {

constexpr int64_t kLayers = 3;
constexpr int64_t kSmallestSide = int64_t{1} << kLayers;  // each layer halves it

}  // namespace

AudioCnn::AudioCnn(const AudioCnnOptions& options)
    : grid_(options.pool == AudioPool::kGrid ? 4 : 1),
      feature_dim_(grid_ * grid_ * options.width << (kLayers - 1)),
      layers_(torch::nn::Sequential()) {
  const auto& input = options.input;
  if (input.height < kSmallestSide || input.width < kSmallestSide) {
    fail(Hint{"take longer sounds or more bands, or encoder.name = 'mlp' for vectors"},
         "encoder audio-cnn takes inputs of at least ", kSmallestSide, " x ", kSmallestSide,
         ", not ", input.height, " x ", input.width);
  }
  int64_t channels = input.channels;
  for (int64_t i = 0; i < kLayers; ++i) {
    const int64_t out = options.width << i;
    layers_->push_back(make_conv(channels, out, /*kernel=*/3, /*stride=*/1));
    layers_->push_back(BatchNorm(out));
    layers_->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(/*inplace=*/true)));
    layers_->push_back(torch::nn::MaxPool2d(2));
    channels = out;
  }
  register_module("layers", layers_);
}

torch::Tensor AudioCnn::forward(const torch::Tensor& images) {
  const auto maps = layers_->forward(images);
  return torch::adaptive_avg_pool2d(maps, {grid_, grid_}).flatten(1);  // [N, F]
}

std::string AudioCnn::describe() const {
  const int64_t last = feature_dim_ / (grid_ * grid_);
  return concat("three 3x3 convolutions of ", last / 4, ", ", last / 2, " and ", last, " channels");
}

}  // namespace projnce
