#include "projnce/train/global_loss.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <string>

#include "projnce/distributed/gradient_sum.h"
#include "projnce/encoder/batch_norm.h"
#include "projnce/loss/registry.h"
#include "projnce/train/gradient_cache.h"
#include "tests/support/rank_threads.h"

namespace projnce {
namespace {

constexpr int64_t kViews = 2;
constexpr int64_t kPixels = 16;
constexpr int64_t kFeatures = 10;
constexpr int64_t kClasses = 3;

enum class Norm { kNone, kShared };

class TestEncoder : public Encoder {
 public:
  explicit TestEncoder(Norm norm)
      : first_(register_module("first", torch::nn::Linear(kPixels, kFeatures))),
        second_(register_module("second", torch::nn::Linear(kFeatures, kFeatures))) {
    if (norm == Norm::kShared) norm_ = register_module("norm", BatchNorm(kFeatures));
  }
  torch::Tensor forward(const torch::Tensor& images) override {
    const auto hidden = first_(images.flatten(1));
    return second_(torch::tanh(norm_.is_empty() ? hidden : norm_(hidden)));
  }
  int64_t feature_dim() const override { return kFeatures; }
  std::string describe() const override { return "for tests"; }

 private:
  torch::nn::Linear first_;
  torch::nn::Linear second_;
  BatchNorm norm_{nullptr};
};

/// What one process trains, in double precision; all from one seed.
struct Side {
  Side(const std::string& loss_name, Norm norm) {
    torch::manual_seed(4);
    model = std::make_shared<EmbeddingModel>(std::make_shared<TestEncoder>(norm),
                                             HeadOptions{.dim = 6});
    Table table;
    table.values["name"] = Value{loss_name, "test"};
    loss = make_loss(table, {.num_classes = kClasses, .embedding_dim = 6, .feature_dim = kFeatures});
    model->to(torch::kDouble);
    loss->to(torch::kDouble);
  }

  /// In the order of importance for buckets: the model's gradients are ready last to first.
  std::vector<torch::Tensor> parameters() const {
    auto all = loss->parameters();
    for (const auto& parameter : model->parameters()) all.push_back(parameter);
    return all;
  }

  EmbeddingModelPtr model;
  LossPtr loss;
};

Batch make_batch_of(int64_t samples) {
  torch::manual_seed(7);
  Batch batch;
  batch.views = kViews;
  batch.images = torch::randn({kViews * samples, 1, 4, 4}, torch::kDouble);
  batch.labels = torch::arange(samples) % kClasses;
  batch.indices = torch::arange(samples) + 100;
  return batch;
}

/// The part of the batch that a rank has: all views of consecutive samples.
Batch part_of(const Batch& batch, int64_t rank, int64_t ranks) {
  const int64_t first = batch.size() * rank / ranks;
  const int64_t count = batch.size() * (rank + 1) / ranks - first;
  Batch part;
  part.views = batch.views;
  part.images = batch.images.unflatten(0, {batch.views, batch.size()})
                    .narrow(1, first, count)
                    .flatten(0, 1)
                    .contiguous();
  part.labels = batch.labels.narrow(0, first, count).clone();
  part.indices = batch.indices.narrow(0, first, count).clone();
  return part;
}

/// One training step's gradients and the values of the loss and its parts, summed over ranks.
std::map<std::string, double> step(const Side& side, const Batch& batch, const RanksPtr& ranks,
                                   bool shared) {
  GradientSum gradients(ranks, side.parameters(), /*bucket_bytes=*/512);
  const auto value = backward_batch(
      *side.model, batch.images,
      {.views = kViews, .encode_empty = shared, .before_last_pass = [&] { gradients.arm(); }},
      [&](const Encoded& leaves) {
        return backward_global_loss(*ranks, *side.loss, leaves, batch);
      });
  gradients.finish();
  std::map<std::string, double> values;
  const auto add = [&](const std::string& name, const torch::Tensor& part) {
    auto sum = part.detach().to(torch::kDouble).clone().reshape({1});
    ranks->sum(sum);
    values[name] = sum.item<double>();
  };
  add("loss", value.loss);
  for (const auto& [name, part] : value.parts) add(name, part);
  return values;
}

void expect_same_step(const std::string& loss, Norm norm, int world, int64_t samples) {
  SCOPED_TRACE(loss + " on " + std::to_string(world) + " ranks, " + std::to_string(samples) +
               " samples");
  const auto batch = make_batch_of(samples);
  const Side alone(loss, norm);
  const auto expected = step(alone, batch, Ranks::alone(), false);
  std::vector<Side> sides;
  for (int rank = 0; rank < world; ++rank) sides.emplace_back(loss, norm);
  std::vector<std::map<std::string, double>> values(static_cast<size_t>(world));
  testing::as_ranks(world, [&](const RanksPtr& ranks) {
    const auto rank = static_cast<size_t>(ranks->rank());
    if (norm == Norm::kShared) {
      share_batch_statistics(*sides[rank].model, [ranks](torch::Tensor sums) {
        ranks->sum(sums);
        return sums;
      });
    }
    values[rank] =
        step(sides[rank], part_of(batch, ranks->rank(), world), ranks, norm == Norm::kShared);
  });
  for (size_t rank = 0; rank < sides.size(); ++rank) {
    ASSERT_EQ(values[rank].size(), expected.size());
    for (const auto& [name, value] : expected) {
      EXPECT_NEAR(values[rank].at(name), value, 1e-12 * std::max(1.0, std::abs(value))) << name;
    }
    const auto mine = sides[rank].parameters();
    const auto theirs = alone.parameters();
    for (size_t i = 0; i < mine.size(); ++i) {
      ASSERT_EQ(mine[i].grad().defined(), theirs[i].grad().defined()) << "parameter " << i;
      if (!mine[i].grad().defined()) continue;
      const auto error = (mine[i].grad() - theirs[i].grad()).abs().max().item<double>();
      EXPECT_LE(error, 1e-12) << "parameter " << i;
    }
    for (size_t i = 0; i < sides[rank].model->buffers().size(); ++i) {
      EXPECT_TRUE(torch::allclose(sides[rank].model->buffers()[i], alone.model->buffers()[i], 1e-12,
                                  1e-12));
    }
  }
}

class GlobalLoss : public ::testing::TestWithParam<std::string> {};

TEST_P(GlobalLoss, OnTwoAndFourRanksIsThatOfOneProcess) {
  for (const int world : {2, 4}) expect_same_step(GetParam(), Norm::kNone, world, 12);
}

TEST_P(GlobalLoss, IsTheSameWithSharedBatchStatisticsAndUnevenParts) {
  expect_same_step(GetParam(), Norm::kShared, 3, 10);
}

TEST_P(GlobalLoss, IsTheSameWhereARankHasNoSample) {
  expect_same_step(GetParam(), Norm::kNone, 4, 3);
  expect_same_step(GetParam(), Norm::kShared, 4, 3);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  auto name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryLoss, GlobalLoss, ::testing::ValuesIn(loss_names()), test_name);

}  // namespace
}  // namespace projnce
