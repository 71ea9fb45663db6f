#include "projnce/encoder/resnet.h"

#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <map>
#include <string>

namespace projnce::encoder {
namespace {

using Shapes = std::map<std::string, std::vector<int64_t>>;

void add_batch_norm(Shapes& shapes, const std::string& name, int64_t channels) {
  for (const auto* part : {"weight", "bias", "running_mean", "running_var"}) {
    shapes[name + "." + part] = {channels};
  }
  shapes[name + ".num_batches_tracked"] = {};
}

/// State dict of torchvision's resnet18 (122 entries) without the two of `fc`.
Shapes torchvision_resnet18() {
  Shapes shapes = {{"conv1.weight", {64, 3, 7, 7}}};
  add_batch_norm(shapes, "bn1", 64);
  int64_t in = 64;
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t out = 64 << stage;
    for (int block = 0; block < 2; ++block) {
      const auto name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      shapes[name + ".conv1.weight"] = {out, in, 3, 3};
      shapes[name + ".conv2.weight"] = {out, out, 3, 3};
      add_batch_norm(shapes, name + ".bn1", out);
      add_batch_norm(shapes, name + ".bn2", out);
      if (in != out) {
        shapes[name + ".downsample.0.weight"] = {out, in, 1, 1};
        add_batch_norm(shapes, name + ".downsample.1", out);
      }
      in = out;
    }
  }
  return shapes;
}

Shapes shapes_of(const torch::nn::Module& module) {
  Shapes shapes;
  for (const auto& item : module.named_parameters())
    shapes[item.key()] = item.value().sizes().vec();
  for (const auto& item : module.named_buffers()) shapes[item.key()] = item.value().sizes().vec();
  return shapes;
}

TEST(ResNet, NamesAndShapesMatchTorchvision) {
  torch::manual_seed(1);
  const ResNet resnet({.input = {.channels = 3, .height = 224, .width = 224}});
  const auto expected = torchvision_resnet18();
  EXPECT_EQ(expected.size(), 120U);
  EXPECT_EQ(shapes_of(resnet), expected);
}

TEST(ResNet, SmallStemKeepsTheNames) {
  torch::manual_seed(1);
  const ResNet resnet({.input = {.channels = 3, .height = 32, .width = 32}});
  auto expected = torchvision_resnet18();
  expected["conv1.weight"] = {64, 3, 3, 3};
  EXPECT_EQ(shapes_of(resnet), expected);
}

TEST(ResNet, AutoStemDependsOnTheImageSize) {
  EXPECT_EQ(resolve_stem(Stem::kAuto, {.height = 32, .width = 32}), Stem::kSmall);
  EXPECT_EQ(resolve_stem(Stem::kAuto, {.height = 96, .width = 96}), Stem::kSmall);
  EXPECT_EQ(resolve_stem(Stem::kAuto, {.height = 224, .width = 224}), Stem::kStandard);
  EXPECT_EQ(resolve_stem(Stem::kStandard, {.height = 32, .width = 32}), Stem::kStandard);
}

TEST(ResNet, SupportsImagesOfAnySize) {
  torch::manual_seed(1);
  ResNet resnet({.input = {.channels = 1, .height = 28, .width = 28}, .widths = {4, 8}});
  for (const int64_t size : {1, 7, 28, 33}) {
    const auto features = resnet.forward(torch::randn({3, 1, size, size}));
    EXPECT_EQ(features.sizes(), (std::vector<int64_t>{3, 8})) << "size " << size;
  }
}

}  // namespace
}  // namespace projnce::encoder
