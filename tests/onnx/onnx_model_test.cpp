#include "projnce/onnx/onnx_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

#include "projnce/augment/audio/log_mel.h"
#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/encoder/registry.h"
#include "tests/support/onnx_runner.h"
#include "tests/support/scratch_dir.h"

namespace projnce::onnx {
namespace {

using ::testing::ElementsAre;
using testing::OnnxFile;
using ::testing::Pair;
using testing::run_onnx;
using ::testing::UnorderedElementsAre;

/// Seeds LibTorch and randomizes all parameters and buffers, including batch norm, so that an
/// omitted one changes the result.
encoder::EmbeddingModelPtr randomized_model(const std::string& encoder,
                                            const augment::InputFormat& format) {
  torch::manual_seed(3);
  auto model = encoder::make_model(
      encoder::parse_encoder_options(parse_toml(encoder, "encoder")),
      {.channels = format.channels(), .height = format.height(), .width = format.width()});
  const torch::NoGradGuard no_gradient;
  for (auto& parameter : model->named_parameters()) {
    if (parameter.value().dim() == 1) parameter.value().uniform_(0.5, 1.5);
  }
  for (auto& buffer : model->named_buffers()) {
    if (buffer.value().is_floating_point()) buffer.value().uniform_(0.5, 1.5);
  }
  model->eval();
  return model;
}

OnnxFile write_and_read(const encoder::EmbeddingModel& model, const augment::InputFormat& format,
                        const std::optional<ClassScores>& classes = {}) {
  const testing::ScratchDir dir;
  make_onnx_graph(model, format, classes).write(dir / "model.onnx");
  return testing::read_onnx(dir / "model.onnx");
}

void expect_near(const torch::Tensor& found, const torch::Tensor& expected) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_LT((found - expected).abs().max().item<double>(),
            1e-5 * (1 + expected.abs().max().item<double>()));
}

/// Compares graph and model; `samples` are the input of the graph, `views` the loader output for
/// them.
void expect_same(const std::string& encoder, const augment::InputFormat& format,
                 const std::string& input, const torch::Tensor& samples,
                 const torch::Tensor& views) {
  SCOPED_TRACE(encoder + concat(" on ", views.sizes()));
  const torch::NoGradGuard no_gradient;
  const auto model = randomized_model(encoder, format);
  const auto expected = model->forward(views);
  const auto values = run_onnx(write_and_read(*model, format), input, samples);
  expect_near(values.at("features"), expected.features);
  expect_near(values.at("embedding"), expected.embeddings);
}

augment::InputFormat images(int channels, int size) {
  augment::ViewFormat format{.channels = channels, .image_size = size};
  for (int c = 0; c < channels; ++c) {
    format.mean.push_back(0.3 + 0.1 * c);
    format.std.push_back(0.2 + 0.05 * c);
  }
  return augment::InputFormat::images(format);
}

void expect_same_images(const std::string& encoder, int channels, int size) {
  torch::manual_seed(1);
  const auto format = images(channels, size);
  const auto images = torch::rand({3, channels, size, size});
  const auto per_channel = [&](const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat32).view({1, channels, 1, 1});
  };
  expect_same(encoder, format, "image", images,
              (images - per_channel(format.image.mean)) / per_channel(format.image.std));
}

TEST(OnnxModel, EveryEncoderAndHeadMatchesLibTorch) {
  expect_same_images("name = 'resnet18'\nstem = 'small'", 3, 21);
  expect_same_images("name = 'resnet18'\nstem = 'standard'\nhead = 'linear'\ndim = 5", 3, 37);
  expect_same_images("name = 'resnet-small'\nwidth = 8\nhead = 'none'", 1, 28);
  expect_same_images("name = 'resnet-small'\nwidth = 8\nstem = 'standard'", 1, 15);
  expect_same_images("name = 'mlp'\nlayers = 2\nwidth = 9\nhead = 'linear'", 3, 5);
}

TEST(OnnxModel, GridPoolingMatchesLibTorchAtEverySize) {
  for (const int size : {8, 16, 25, 32, 40, 55, 57}) {  // feature maps of size 1 to 7
    expect_same_images("name = 'audio-cnn'\nwidth = 8", 1, size);
  }
  expect_same_images("name = 'audio-cnn'\nwidth = 8\npool = 'global'", 1, 43);
}

TEST(OnnxModel, SupportsVectorsWithEveryEncoder) {
  torch::manual_seed(4);
  const augment::InputFormat format{
      .kind = SampleKind::kVector, .vector_size = 6, .mean = 0.5, .std = 2};
  const auto rows = torch::randn({4, 6});
  const auto views = ((rows - 0.5) / 2).view({4, 6, 1, 1});
  expect_same("name = 'mlp'\nlayers = 0\nhead = 'none'", format, "vector", rows, views);
  expect_same("name = 'mlp'\nlayers = 3\nwidth = 4", format, "vector", rows, views);
  expect_same("name = 'resnet-small'\nwidth = 8", format, "vector", rows, views);
}

/// A loud tone over quiet noise, noise, and silence.
torch::Tensor waveforms(int64_t samples) {
  const auto time = torch::arange(samples, torch::kFloat32);
  return torch::stack({(time * 0.3).sin() + 1e-5 * torch::randn({samples}),
                       0.1 * torch::randn({samples}), torch::zeros({samples})})
      .contiguous();
}

TEST(OnnxModel, SpectrogramsMatchLogMelForAnyFramesAndLengths) {
  torch::manual_seed(5);
  const std::vector<augment::MelOptions> cases = {
      {.rate = 8000, .seconds = 0.25, .fft = 256, .hop = 128, .mels = 16},
      {.rate = 8000, .seconds = 0.25, .fft = 200, .hop = 200, .mels = 16},  // ignores the end
      {.rate = 8000,
       .seconds = 0.25,
       .fft = 250,
       .hop = 77,
       .mels = 24,
       .scale = augment::MelScale::kSlaney},
      {.rate = 8000, .seconds = 0.01, .fft = 512, .hop = 9, .mels = 8, .low = 50, .high = 3000}};
  for (const auto& mel : cases) {
    SCOPED_TRACE(augment::fingerprint(mel));
    const augment::InputFormat format{.kind = SampleKind::kAudio, .mel = mel, .mean = -3, .std = 2};
    const auto clips = waveforms(mel.samples());
    augment::LogMel log_mel(mel);
    Features spectrogram;
    std::vector<torch::Tensor> views;
    for (int64_t i = 0; i < clips.size(0); ++i) {
      log_mel.compute({clips[i].data_ptr<float>(), static_cast<size_t>(clips.size(1))},
                      spectrogram);
      views.push_back(torch::tensor(spectrogram.values).view({1, mel.mels, mel.frames()}));
    }
    const auto model = randomized_model("name = 'audio-cnn'\nwidth = 8", format);
    const auto values = run_onnx(write_and_read(*model, format), "waveform", clips);
    const auto expected = (torch::stack(views) + 3) / 2;
    expect_near(values.at("input.standardized"), expected);
    const torch::NoGradGuard no_gradient;
    expect_near(values.at("embedding"), model->forward(expected).embeddings);
  }
}

TEST(OnnxModel, DeclaresInputsAndOutputsWithShapes) {
  const auto format = images(3, 16);
  const auto model = randomized_model("name = 'resnet-small'\nwidth = 8\ndim = 5", format);
  const auto plain = write_and_read(*model, format);
  EXPECT_THAT(plain.inputs, ElementsAre(Pair("image", "float [batch, 3, 16, 16]")));
  EXPECT_THAT(plain.outputs, UnorderedElementsAre(Pair("embedding", "float [batch, 5]"),
                                                  Pair("features", "float [batch, 32]")));
  const auto classes = write_and_read(
      *model, format,
      ClassScores{ClassScores::Of::kEmbeddings, torch::randn({4, 5}), torch::zeros({4})});
  EXPECT_EQ(classes.outputs.at("scores"), "float [batch, 4]");
  EXPECT_EQ(classes.outputs.at("class"), "int64 [batch]");
}

TEST(OnnxModel, ScoresAreCosinesOrSoftmax) {
  const torch::NoGradGuard no_gradient;
  const auto format = images(1, 16);
  const auto model = randomized_model("name = 'resnet-small'\nwidth = 8\ndim = 5", format);
  const auto images = torch::rand({6, 1, 16, 16});
  const auto encoded = model->forward((images - 0.3) / 0.2);

  const auto weight = torch::randn({3, 32});
  const auto bias = torch::randn({3});
  auto values = run_onnx(
      write_and_read(*model, format, ClassScores{ClassScores::Of::kFeatures, weight, bias}),
      "image", images);
  const auto probabilities = torch::linear(encoded.features, weight, bias).softmax(1);
  expect_near(values.at("scores"), probabilities);
  EXPECT_TRUE(torch::equal(values.at("class"), probabilities.argmax(1)));

  const auto vectors = torch::nn::functional::normalize(torch::randn({3, 5}));
  const double never = -std::numeric_limits<double>::infinity();
  auto absent = torch::zeros({3});
  absent[1] = never;
  values = run_onnx(
      write_and_read(*model, format, ClassScores{ClassScores::Of::kEmbeddings, vectors, absent}),
      "image", images);
  const auto cosines = encoded.embeddings.mm(vectors.t());
  expect_near(values.at("scores").select(1, 0), cosines.select(1, 0));
  EXPECT_TRUE((values.at("scores").select(1, 1) == never).all().item<bool>());
  EXPECT_FALSE((values.at("class") == 1).any().item<bool>());
}

}  // namespace
}  // namespace projnce::onnx
