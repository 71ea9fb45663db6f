#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/mlp.h"
#include "tests/support/error_message.h"

namespace projnce::encoder {
namespace {

using ::testing::HasSubstr;

int64_t count_weights(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

TEST(AudioCnn, SupportsTheSpectrogramsOfThePaper) {
  torch::manual_seed(2);
  for (const int64_t frames : {32, 204}) {
    AudioCnn encoder({.input = {.channels = 1, .height = 128, .width = frames}});
    EXPECT_EQ(encoder.feature_dim(), 2048);
    EXPECT_EQ(encoder.forward(torch::randn({2, 1, 128, frames})).sizes(),
              (std::vector<int64_t>{2, 2048}));
    // Convolutions with 32, 64 and 128 channels, and two batch-norm parameters per channel.
    EXPECT_EQ(count_weights(encoder), 9 * (32 + 32 * 64 + 64 * 128) + 2 * (32 + 64 + 128));
  }
}

TEST(AudioCnn, SupportsGlobalPooling) {
  torch::manual_seed(3);
  AudioCnn encoder({.input = {.channels = 1, .height = 128, .width = 32},
                    .width = 8,
                    .pool = AudioPool::kGlobal});
  encoder.eval();
  const auto audio = torch::randn({1, 1, 128, 32});
  EXPECT_EQ(encoder.forward(audio).sizes(), (std::vector<int64_t>{1, 32}));
}

TEST(AudioCnn, GridPoolingDistinguishesPositions) {
  const InputShape input{.channels = 1, .height = 128, .width = 32};
  auto low = torch::zeros({1, 1, 128, 32});
  low.narrow(2, 8, 4).fill_(1);
  const auto high = low.roll(64, 2);
  for (const auto pool : {AudioPool::kGrid, AudioPool::kGlobal}) {
    torch::manual_seed(1);
    AudioCnn encoder({.input = input, .width = 8, .pool = pool});
    encoder.eval();
    const auto difference = (encoder.forward(low) - encoder.forward(high)).norm().item<double>();
    EXPECT_EQ(difference > 1e-4, pool == AudioPool::kGrid) << difference;
  }
}

TEST(AudioCnn, RejectsTooSmallInputs) {
  torch::manual_seed(1);
  EXPECT_THAT(testing::error_message_of(
                  [] { AudioCnn({.input = {.channels = 1, .height = 128, .width = 7}}); }),
              HasSubstr("at least 8 x 8"));
}

TEST(Mlp, WithoutLayersIsTheIdentity) {
  torch::manual_seed(4);
  Mlp encoder({.input = {.channels = 5, .height = 1, .width = 1}});
  const auto vectors = torch::randn({3, 5, 1, 1});
  EXPECT_EQ(encoder.feature_dim(), 5);
  EXPECT_TRUE(torch::equal(encoder.forward(vectors), vectors.flatten(1)));
  EXPECT_TRUE(encoder.parameters().empty());
}

TEST(Mlp, HasLayersOfTheRequestedWidth) {
  torch::manual_seed(5);
  Mlp encoder({.input = {.channels = 5, .height = 1, .width = 1}, .layers = 2, .width = 7});
  EXPECT_EQ(encoder.forward(torch::randn({3, 5, 1, 1})).sizes(), (std::vector<int64_t>{3, 7}));
  EXPECT_EQ(count_weights(encoder), 5 * 7 + 7 * 7 + 2 * 2 * 7);
}

}  // namespace
}  // namespace projnce::encoder
