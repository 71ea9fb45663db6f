
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/encoder/layers.h"

namespace projnce::encoder {
namespace {

torch::Tensor gather_one_process(const torch::Tensor& mine) {
  return mine.unsqueeze(0);
}

TEST(BatchNorm, MatchesLibTorchWithoutSync) {
  torch::manual_seed(1);
  BatchNorm ours(3);
  torch::nn::BatchNorm2d theirs(3);
  const auto rows = torch::randn({4, 3, 5, 5});
  for (const bool training : {true, false}) {
    ours->train(training);
    theirs->train(training);
    EXPECT_TRUE(torch::equal(ours(rows), theirs(rows)));
  }
  ASSERT_EQ(ours->named_buffers().keys(), theirs->named_buffers().keys());
  for (const auto& item : theirs->named_buffers()) {
    EXPECT_TRUE(torch::equal(ours->named_buffers()[item.key()], item.value())) << item.key();
  }
}

void expect_synced_equals_local(const torch::Tensor& rows) {
  BatchNorm own(3);
  BatchNorm shared(3);
  shared->sync_statistics(gather_one_process);
  const auto weights = torch::randn_like(rows);
  for (auto* norm : {&own, &shared}) {
    (*norm)->to(torch::kDouble);
    torch::NoGradGuard no_grad;
    (*norm)->weight.copy_(torch::tensor({0.5, 1.0, 2.0}));
    (*norm)->bias.copy_(torch::tensor({0.1, 0.2, -0.3}));
  }
  const auto run = [&](BatchNorm& norm) {
    const auto input = rows.clone().requires_grad_();
    const auto output = norm(input);
    (output * weights).sum().backward();
    return std::vector<torch::Tensor>{output.detach(),   input.grad(),       norm->weight.grad(),
                                      norm->bias.grad(), norm->running_mean, norm->running_var};
  };
  const auto expected = run(own);
  const auto found = run(shared);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-12, 1e-12)) << i;
  }
}

TEST(BatchNorm, SyncWithOneProcessChangesNothing) {
  torch::manual_seed(2);
  expect_synced_equals_local(torch::randn({4, 3, 5, 6}, torch::kDouble) + 10);
  expect_synced_equals_local(torch::randn({7, 3}, torch::kDouble) - 5);
}

TEST(Conv, SupportsAnEmptyBatch) {
  torch::manual_seed(3);
  for (const int64_t stride : {1, 2}) {
    auto conv = make_conv(2, 8, 3, stride);
    conv->to(torch::kFloat);
    for (auto& parameter : conv->parameters()) {
      parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
    }
    const auto sizes = conv(torch::randn({1, 2, 7, 6})).sizes().vec();
    const auto empty = torch::randn({0, 2, 7, 6}).requires_grad_();
    const auto output = conv(empty);
    EXPECT_EQ(output.sizes().slice(1).vec(), std::vector<int64_t>(sizes.begin() + 1, sizes.end()));
    output.sum().backward();
    EXPECT_TRUE(empty.grad().defined());
  }
}

}  // namespace
}  // namespace projnce::encoder
