#include "projnce/encoder/audio_cnn.h"

#include <torch/torch.h>

#include "projnce/core/error.h"
#include "projnce/encoder/residual_block.h"

namespace projnce {

namespace {

constexpr int64_t kLayers = 3;
constexpr int64_t kSmallestSide = int64_t{1} << kLayers;  // each layer halves it

}  // namespace

AudioCnn::AudioCnn(const AudioCnnOptions& options)
    : feature_dim_(options.width << (kLayers - 1)), layers_(torch::nn::Sequential()) {
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
    layers_->push_back(torch::nn::BatchNorm2d(out));
    layers_->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(/*inplace=*/true)));
    layers_->push_back(torch::nn::MaxPool2d(2));
    channels = out;
  }
  register_module("layers", layers_);
}

torch::Tensor AudioCnn::forward(const torch::Tensor& images) {
  return layers_->forward(images).mean({2, 3});  // [N, F]
}

std::string AudioCnn::describe() const {
  return concat("three 3x3 convolutions of ", feature_dim_ / 4, ", ", feature_dim_ / 2, " and ",
                feature_dim_, " channels");
}

}  // namespace projnce
