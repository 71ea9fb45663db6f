#include "projnce/encoder/native/native_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/resnet.h"
#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/isa.h"

namespace projnce::encoder {
namespace {

using ::testing::HasSubstr;

/// Builds an encoder with weights from a fixed seed, independent of the engine.
using MakeEncoder = std::function<EncoderPtr(Engine engine)>;

struct Network {
  std::string name;
  MakeEncoder make;
  std::vector<int64_t> images;
};

MakeEncoder resnet(ResNetOptions options) {
  return [options](Engine engine) mutable {
    options.engine = engine;
    torch::manual_seed(3);
    return std::make_shared<ResNet>(options);
  };
}

MakeEncoder audio_cnn(AudioCnnOptions options) {
  return [options](Engine engine) mutable {
    options.engine = engine;
    torch::manual_seed(3);
    return std::make_shared<AudioCnn>(options);
  };
}

/// Covers every kind of block, odd sizes and channels, one to three input channels, and one image.
std::vector<Network> networks() {
  return {
      {"resnet of three stages",
       resnet({.input = {3, 32, 32}, .widths = {16, 32, 64}, .blocks_per_stage = 1}),
       {6, 3, 32, 32}},
      {"odd sizes",
       resnet({.input = {1, 28, 28}, .widths = {20, 40}, .small_stem_stride = 2}),
       {5, 1, 27, 30}},
      {"standard stem with max-pooling",
       resnet({.input = {2, 64, 64}, .widths = {16, 32}, .stem = Stem::kStandard}),
       {4, 2, 50, 60}},
      {"one image", resnet({.input = {3, 16, 16}, .widths = {8, 16}}), {1, 3, 13, 16}},
      {"maps of one pixel", resnet({.input = {3, 4, 4}, .widths = {8, 16, 32}}), {7, 3, 4, 3}},
      {"audio-cnn", audio_cnn({.input = {1, 128, 32}, .width = 8}), {4, 1, 128, 32}},
      {"audio-cnn of odd sizes",
       audio_cnn({.input = {1, 33, 47}, .width = 12, .pool = AudioPool::kGlobal}),
       {3, 1, 33, 47}},
  };
}

/// Results of a training step and an evaluation of an encoder.
struct Results {
  torch::Tensor features, evaluated;
  std::vector<std::pair<std::string, torch::Tensor>> gradients, buffers;
};

Results run(Encoder& encoder, const torch::Tensor& images) {
  Results results;
  results.features = encoder.forward(images);
  torch::manual_seed(5);
  const auto out_gradient =
      torch::randn(results.features.sizes(), torch::kDouble).to(images.scalar_type());
  (results.features * out_gradient).sum().backward();
  for (const auto& item : encoder.named_parameters()) {
    results.gradients.emplace_back(item.key(), item.value().grad());
  }
  for (const auto& item : encoder.named_buffers()) {
    results.buffers.emplace_back(item.key(), item.value().clone());
  }
  encoder.eval();
  const torch::NoGradGuard no_grad;
  results.evaluated = encoder.forward(images);
  return results;
}

Results run(const Network& network, Engine engine, torch::ScalarType type) {
  torch::manual_seed(7);
  const auto images = torch::randn(network.images);
  const auto encoder = network.make(engine);
  encoder->to(type);
  return run(*encoder, images.to(type));
}

/// Norm of the difference, relative to the norm of the expected tensor.
double error_of(const torch::Tensor& found, const torch::Tensor& expected) {
  const auto exact = expected.to(torch::kDouble);
  const auto length = exact.norm().item<double>();
  return (found.to(torch::kDouble) - exact).norm().item<double>() / std::max(length, 1e-30);
}

double worst_error(const Results& found, const Results& expected) {
  double worst = std::max(error_of(found.features, expected.features),
                          error_of(found.evaluated, expected.evaluated));
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    worst = std::max(worst, error_of(found.gradients[i].second, expected.gradients[i].second));
  }
  for (size_t i = 0; i < expected.buffers.size(); ++i) {
    worst = std::max(worst, error_of(found.buffers[i].second, expected.buffers[i].second));
  }
  return worst;
}

TEST(NativeEngine, MatchesTheModulesInDouble) {
  for (const auto& network : networks()) {
    const auto expected = run(network, Engine::kTorch, torch::kDouble);
    const auto found = run(network, Engine::kNative, torch::kDouble);
    EXPECT_LT(worst_error(found, expected), 1e-11) << network.name;
  }
}

TEST(NativeEngine, FloatIsWithinOneTenThousandthOfTheModulesInDouble) {
  for (const auto& network : networks()) {
    const auto expected = run(network, Engine::kTorch, torch::kDouble);
    const auto found = run(network, Engine::kNative, torch::kFloat);
    EXPECT_LT(worst_error(found, expected), 1e-4) << network.name;
  }
}

TEST(NativeEngine, PlainKernelsMatchTheModules) {
  const kernel::ForcedIsa forced(kernel::Isa::kPlain);
  for (const auto& network : networks()) {
    const auto expected = run(network, Engine::kTorch, torch::kDouble);
    const auto found = run(network, Engine::kNative, torch::kFloat);
    EXPECT_LT(worst_error(found, expected), 1e-4) << network.name;
  }
}

TEST(NativeEngine, GradientsMatchCentralDifferences) {
  torch::manual_seed(11);
  constexpr double kStep = 1e-5;
  const auto images = torch::randn({3, 2, 7, 6}, torch::kDouble);
  const auto encoder = resnet({.input = {2, 7, 6}, .widths = {4, 6}})(Engine::kNative);
  encoder->to(torch::kDouble);
  const auto value = [&] { return encoder->forward(images).square().sum(); };
  value().backward();
  for (const auto& item : encoder->named_parameters()) {
    const torch::NoGradGuard no_grad;
    auto numbers = item.value().detach();
    const auto at = torch::randint(numbers.numel(), {1}, torch::kLong).item<int64_t>();
    auto* number = numbers.data_ptr<double>() + at;
    const double before = *number;
    *number = before + kStep;
    const double above = value().item<double>();
    *number = before - kStep;
    const double below = value().item<double>();
    *number = before;
    const auto gradient = item.value().grad().contiguous();
    EXPECT_NEAR(gradient.data_ptr<double>()[at], (above - below) / (2 * kStep), 2e-6) << item.key();
  }
}

/// Conversion between [N, C, H, W] and the channel-blocked layout, for whole blocks.
torch::Tensor as_blocks(const torch::Tensor& maps) {
  return maps.unflatten(1, {-1, kernel::kChannelBlock}).permute({0, 1, 3, 4, 2}).contiguous();
}
torch::Tensor from_blocks(const torch::Tensor& blocks) {
  return blocks.permute({0, 1, 4, 2, 3}).flatten(1, 2);
}

/// Output and gradients of a convolution.
struct Convolved {
  torch::Tensor out, in_gradient, weight_gradient;
};

Convolved by_modules(const kernel::ConvGeometry& g, const torch::Tensor& images,
                     const torch::Tensor& weights, const torch::Tensor& out_gradient) {
  const auto x = images.detach().clone().requires_grad_();
  const auto w = weights.detach().clone().requires_grad_();
  const auto out = torch::conv2d(x, w, {}, g.stride, g.padding());
  out.backward(out_gradient);
  return {out, x.grad(), w.grad()};
}

Convolved by_kernels(const kernel::ConvGeometry& g, const torch::Tensor& images,
                     const torch::Tensor& weights, const torch::Tensor& out_gradient) {
  const auto x = as_blocks(images);
  const auto gradient = as_blocks(out_gradient);
  const auto w = weights.contiguous(torch::MemoryFormat::ChannelsLast);
  auto out = torch::empty_like(gradient);
  auto in_gradient = torch::empty_like(x);
  auto weight_gradient = torch::empty_like(w);
  const kernel::ConvInput<float> input{{x.size(0), g.in_channels, x.size(2), x.size(3)},
                                       {.x = x.data_ptr<float>()}};
  kernel::Workspace workspace;
  kernel::conv_forward<float>({g, input, w.data_ptr<float>(), out.data_ptr<float>(), nullptr},
                              workspace);
  kernel::conv_backward<float>({.geometry = g,
                                .input = input,
                                .gradient = {.x = gradient.data_ptr<float>()},
                                .weights = w.data_ptr<float>(),
                                .in_gradient = in_gradient.data_ptr<float>(),
                                .epilogue = nullptr,
                                .weight_gradient = weight_gradient.data_ptr<float>()},
                               workspace);
  return {from_blocks(out), from_blocks(in_gradient), weight_gradient};
}

double worst_error(const Convolved& found, const Convolved& exact) {
  return std::max({error_of(found.out, exact.out), error_of(found.in_gradient, exact.in_gradient),
                   error_of(found.weight_gradient, exact.weight_gradient)});
}

/// Layers after the stem, for images of 32 x 32 pixels. Also prints the error of LibTorch's
/// float32.
TEST(NativeEngine, EveryLayerOfResNet18IsCloseToDouble) {
  std::vector<std::pair<kernel::ConvGeometry, int64_t>> layers = {{{64, 64, 3, 1}, 32}};
  for (int64_t width = 128, side = 32; width <= 512; width *= 2, side /= 2) {
    layers.push_back({{width / 2, width, 3, 2}, side});
    layers.push_back({{width / 2, width, 1, 2}, side});
    layers.push_back({{width, width, 3, 1}, side / 2});
  }
  for (const auto& [g, side] : layers) {
    torch::manual_seed(1);
    const auto images = torch::randn({4, g.in_channels, side, side}).relu();
    const auto weights = torch::randn({g.out_channels, g.in_channels, g.kernel, g.kernel});
    const auto out_gradient = torch::randn({4, g.out_channels, g.out_side(side), g.out_side(side)});
    const auto exact = by_modules(g, images.to(torch::kDouble), weights.to(torch::kDouble),
                                  out_gradient.to(torch::kDouble));
    const double error = worst_error(by_kernels(g, images, weights, out_gradient), exact);
    const double stock = worst_error(by_modules(g, images, weights, out_gradient), exact);
    EXPECT_LT(error, 1e-5);
    std::cout << g.in_channels << " to " << g.out_channels << " channels, kernel " << g.kernel
              << ", stride " << g.stride << ": worst relative error " << error
              << ", LibTorch float32 " << stock << '\n';
  }
}

TEST(NativeEngine, IsBitIdenticalForAnyNumberOfThreads) {
  const auto network = networks().front();
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto single_thread = run(network, Engine::kNative, torch::kFloat);
  at::set_num_threads(3);
  const auto multi_thread = run(network, Engine::kNative, torch::kFloat);
  at::set_num_threads(before);
  EXPECT_TRUE(torch::equal(multi_thread.features, single_thread.features));
  for (size_t i = 0; i < single_thread.gradients.size(); ++i) {
    EXPECT_TRUE(torch::equal(multi_thread.gradients[i].second, single_thread.gradients[i].second))
        << single_thread.gradients[i].first;
  }
}

TEST(NativeEngine, SupportsSeveralGraphsAndRepeatedBackward) {
  torch::manual_seed(12);
  const auto encoder = resnet({.input = {3, 8, 8}, .widths = {8}})(Engine::kNative);
  const auto weight = encoder->parameters().front();
  const auto first = torch::randn({4, 3, 8, 8});
  const auto gradient_of = [&](const torch::Tensor& features, bool keep) {
    weight.mutable_grad() = torch::Tensor();
    features.square().sum().backward({}, keep);
    return weight.grad().clone();
  };
  const auto expected = gradient_of(encoder->forward(first), /*keep=*/false);
  const auto one = encoder->forward(first);
  const auto other = encoder->forward(torch::randn({2, 3, 8, 8}));
  gradient_of(other, /*keep=*/false);
  EXPECT_TRUE(torch::equal(gradient_of(one, /*keep=*/true), expected));
  EXPECT_TRUE(torch::equal(gradient_of(one, /*keep=*/false), expected));
}

TEST(NativeEngine, GraphMayOutliveItsEncoder) {
  torch::manual_seed(13);
  auto encoder = resnet({.input = {3, 8, 8}, .widths = {8}})(Engine::kNative);
  const auto weight = encoder->parameters().front();
  const auto features = encoder->forward(torch::randn({4, 3, 8, 8}));
  encoder.reset();
  features.sum().backward();
  EXPECT_TRUE(weight.grad().defined());
}

TEST(NativeEngine, DetectsParametersModifiedAfterForward) {
  torch::manual_seed(14);
  const auto encoder = resnet({.input = {3, 8, 8}, .widths = {8}})(Engine::kNative);
  const auto features = encoder->forward(torch::randn({4, 3, 8, 8}));
  {
    const torch::NoGradGuard no_grad;
    encoder->parameters().front().mul_(2);
  }
  EXPECT_THROW(features.sum().backward(), c10::Error);
}

TEST(NativeEngine, FallsBackToTheModulesForUnsupportedInputs) {
  torch::manual_seed(15);
  const auto encoder = resnet({.input = {3, 8, 8}, .widths = {8}})(Engine::kNative);
  const auto images = torch::randn({2, 3, 8, 8});
  // Gradients with respect to images, and gradients in evaluation mode.
  const auto wanted = images.clone().requires_grad_();
  encoder->forward(wanted).sum().backward();
  EXPECT_TRUE(wanted.grad().defined());
  encoder->eval();
  encoder->forward(images).sum().backward();
  // No images.
  const torch::NoGradGuard no_grad;
  EXPECT_EQ(encoder->forward(images.narrow(0, 0, 0)).size(0), 0);
}

TEST(NativeEngine, RejectsTrainingOnOneValuePerChannel) {
  torch::manual_seed(16);
  const auto encoder = resnet({.input = {3, 1, 1}, .widths = {8}})(Engine::kNative);
  EXPECT_THROW(encoder->forward(torch::randn({1, 3, 1, 1})), c10::Error);
}

TEST(NativeEngine, AutoIsNativeIfTheCpuHasAvx2) {
  torch::manual_seed(1);
  EXPECT_EQ(is_native(Engine::kAuto), kernel::best_isa() != kernel::Isa::kPlain);
  EXPECT_FALSE(is_native(Engine::kTorch));
  const kernel::ForcedIsa forced(kernel::Isa::kPlain);
  EXPECT_FALSE(is_native(Engine::kAuto));
  EXPECT_TRUE(is_native(Engine::kNative));
  EXPECT_THAT(ResNet({.input = {3, 32, 32}, .widths = {8}}).describe(),
              HasSubstr("neither AVX2 nor AVX-512"));
}

}  // namespace
}  // namespace projnce::encoder
