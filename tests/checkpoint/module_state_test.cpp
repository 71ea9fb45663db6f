#include "projnce/checkpoint/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::checkpoint {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScratchDir;

torch::nn::Sequential make_network(int64_t seed) {
  torch::manual_seed(static_cast<uint64_t>(seed));
  torch::nn::Sequential network(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 4, 3)),
                                torch::nn::BatchNorm2d(4));
  for (auto& buffer : network->buffers()) buffer.add_(seed);
  return network;
}

TensorFile state_of(const torch::nn::Module& module, const std::string& prefix) {
  TensorFile file;
  file.tensors = named_state(module, prefix);
  return file;
}

bool equal_state(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto first = state_of(a, "").tensors;
  const auto second = state_of(b, "").tensors;
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && torch::equal(x.second, y.second);
                    });
}

TEST(ModuleState, CollectsParametersAndBuffersByName) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state_of(*make_network(1), "net.").tensors) {
    EXPECT_FALSE(tensor.requires_grad());
    names.push_back(name);
  }
  EXPECT_THAT(names,
              ElementsAre("net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias",
                          "net.1.running_mean", "net.1.running_var", "net.1.num_batches_tracked"));
}

TEST(ModuleState, SkipsUndefinedTensors) {
  torch::nn::BatchNorm1d plain(
      torch::nn::BatchNorm1dOptions(3).affine(false).track_running_stats(false));
  EXPECT_TRUE(state_of(*plain, "").tensors.empty());
}

TEST(ModuleState, IsRestoredFromAFileInPlace) {
  const ScratchDir dir;
  const auto source = make_network(1);
  auto target = make_network(2);
  target->to(torch::kCPU);
  auto& weight = target[0]->as<torch::nn::Conv2dImpl>()->weight;
  weight.set_data(weight.contiguous(torch::MemoryFormat::ChannelsLast));
  const void* const address = weight.data_ptr();

  auto file = state_of(*source, "encoder.");
  const auto head = make_network(3);
  auto other_head = make_network(4);
  append(file.tensors, named_state(*head, "head."));
  save_tensors(dir / "a", file);
  auto targets = named_state(*target, "encoder.");
  append(targets, named_state(*other_head, "head."));
  restore_tensors(targets, load_tensors(dir / "a"));
  EXPECT_TRUE(equal_state(*source, *target));
  EXPECT_TRUE(equal_state(*head, *other_head));
  EXPECT_EQ(weight.data_ptr(), address);
  EXPECT_TRUE(weight.is_contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(weight.requires_grad());
}

TEST(ModuleState, ListsEveryMismatchAndChangesNothing) {
  auto target = make_network(1);
  const auto before = make_network(1);
  auto file = state_of(*make_network(2), "");
  file.origin = "run/best.safetensors";
  file.tensors[0].second = torch::zeros({4, 3, 7, 7});
  file.tensors[1].first = "0.offset";
  file.tensors[4].second = torch::zeros({4}, torch::kFloat64);
  EXPECT_THAT(error_message_of([&] { restore_tensors(named_state(*target, ""), file); }),
              AllOf(HasSubstr("run/best.safetensors"), HasSubstr("missing 0.bias"),
                    HasSubstr("unexpected 0.offset"),
                    HasSubstr("0.weight [4, 3, 7, 7] instead of [4, 3, 3, 3]"),
                    HasSubstr("1.running_mean Double instead of Float")));
  EXPECT_TRUE(equal_state(*target, *before));
}

TEST(ModuleState, TruncatesALongListOfMismatches) {
  torch::manual_seed(1);
  torch::nn::Sequential deep;
  for (int i = 0; i < 10; ++i) deep->push_back(torch::nn::Linear(2, 2));
  EXPECT_THAT(error_message_of([&] { restore_tensors(named_state(*deep, ""), {}); }),
              AllOf(HasSubstr("the saved state"), HasSubstr("missing 0.weight, 0.bias"),
                    HasSubstr("3.bias and 12 more"), Not(HasSubstr("unexpected"))));
}

}  // namespace
}  // namespace projnce::checkpoint
