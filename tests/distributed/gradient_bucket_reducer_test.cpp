#include "projnce/distributed/gradient_bucket_reducer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "tests/support/rank_threads.h"

namespace projnce::distributed {
namespace {

using testing::as_ranks;

/// Parameters of several shapes, one of them channels-last: 5 + 24 + 1 + 6 elements.
std::vector<torch::Tensor> make_parameters() {
  auto weight = torch::ones({2, 3, 2, 2}).contiguous(torch::MemoryFormat::ChannelsLast);
  std::vector<torch::Tensor> parameters = {torch::ones({5}), weight, torch::ones({1}),
                                           torch::ones({2, 3}, torch::kDouble)};
  for (auto& parameter : parameters) parameter.set_requires_grad(true);
  return parameters;
}

/// A loss whose gradient with respect to element k of parameter i is scale * (i + 1) * k.
torch::Tensor loss_of(const std::vector<torch::Tensor>& parameters, double scale) {
  auto loss = torch::zeros({}, torch::kDouble);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto& parameter = parameters[i];
    const auto weights = torch::arange(parameter.numel(), torch::kDouble).view(parameter.sizes());
    loss = loss + (parameter * weights).sum() * (scale * static_cast<double>(i + 1));
  }
  return loss;
}

torch::Tensor expected_gradient(const torch::Tensor& parameter, size_t index, double scale) {
  const auto weights = torch::arange(parameter.numel(), torch::kDouble).view(parameter.sizes());
  return (weights * (scale * static_cast<double>(index + 1))).to(parameter.scalar_type());
}

class Buckets : public ::testing::TestWithParam<std::tuple<int, int64_t>> {};
INSTANTIATE_TEST_SUITE_P(GradientBucketReducer, Buckets,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(1, 100, 1 << 20)));

TEST_P(Buckets, HoldTheSumOverRanksInEveryStep) {
  const auto [world, bytes] = GetParam();
  as_ranks(world, [&, bytes = bytes](const ProcessGroupPtr& ranks) {
    const auto parameters = make_parameters();
    GradientBucketReducer gradients(ranks, parameters, bytes);
    const auto all_scales = ranks->size() * (ranks->size() + 1) / 2.0;
    for (int step = 1; step <= 2; ++step) {
      for (const auto& parameter : parameters) parameter.mutable_grad() = torch::Tensor();
      gradients.prepare_for_backward();
      loss_of(parameters, step * (ranks->rank() + 1)).backward();
      gradients.finish();
      for (size_t i = 0; i < parameters.size(); ++i) {
        EXPECT_TRUE(
            parameters[i].grad().equal(expected_gradient(parameters[i], i, step * all_scales)));
      }
    }
    EXPECT_TRUE(parameters[1].grad().is_contiguous(torch::MemoryFormat::ChannelsLast));
  });
}

TEST_P(Buckets, SumAccumulatedGradientsOnce) {
  const auto [world, bytes] = GetParam();
  as_ranks(world, [&, bytes = bytes](const ProcessGroupPtr& ranks) {
    const auto parameters = make_parameters();
    GradientBucketReducer gradients(ranks, parameters, bytes);
    loss_of(parameters, ranks->rank()).backward();
    gradients.prepare_for_backward();
    // The last pass only reaches the first two parameters.
    loss_of({parameters[0], parameters[1]}, 10).backward();
    gradients.finish();
    const double first_pass = ranks->size() * (ranks->size() - 1) / 2.0;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const double scale = first_pass + (i < 2 ? 10 * ranks->size() : 0);
      EXPECT_TRUE(parameters[i].grad().equal(expected_gradient(parameters[i], i, scale)));
    }
  });
}

TEST(GradientBucketReducer, TreatsMissingGradientAsZeros) {
  as_ranks(3, [](const ProcessGroupPtr& ranks) {
    const auto parameters = make_parameters();
    GradientBucketReducer gradients(ranks, parameters, 100);
    gradients.prepare_for_backward();
    // Parameter 2 has a gradient only on rank 1, parameter 3 on no rank.
    auto used = std::vector<torch::Tensor>{parameters[0], parameters[1]};
    if (ranks->rank() == 1) used.push_back(parameters[2]);
    loss_of(used, 1).backward();
    gradients.finish();
    EXPECT_TRUE(parameters[1].grad().equal(expected_gradient(parameters[1], 1, 3)));
    EXPECT_TRUE(parameters[2].grad().equal(expected_gradient(parameters[2], 2, 1)));
    EXPECT_FALSE(parameters[3].grad().defined());
  });
}

TEST(GradientBucketReducer, HooksDoNothingAfterDestruction) {
  as_ranks(2, [](const ProcessGroupPtr& ranks) {
    const auto parameters = make_parameters();
    torch::Tensor loss;
    {
      GradientBucketReducer gradients(ranks, parameters);
      loss = loss_of(parameters, 1);
      gradients.prepare_for_backward();
    }
    // Only on one rank: an all-reduce started by a stale hook would wait for the other rank and
    // fail.
    if (ranks->is_rank_zero()) {
      loss.backward();
      EXPECT_TRUE(parameters[0].grad().equal(expected_gradient(parameters[0], 0, 1)));
    }
    ranks->barrier();
  });
}

TEST(GradientBucketReducer, RejectsSecondBackwardAfterGradientsWereSent) {
  as_ranks(2, [](const ProcessGroupPtr& ranks) {
    const auto parameters = make_parameters();
    GradientBucketReducer gradients(ranks, parameters);
    gradients.prepare_for_backward();
    loss_of(parameters, 1).backward();
    EXPECT_THROW(loss_of(parameters, 1).backward(), c10::Error);
    gradients.finish();
  });
}

}  // namespace
}  // namespace projnce::distributed
