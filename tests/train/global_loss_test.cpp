
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <map>
#include <string>

#include "projnce/distributed/gradient_bucket_reducer.h"
#include "projnce/encoder/layers.h"
#include "projnce/loss/registry.h"
#include "projnce/train/gradient_cache.h"
#include "tests/support/rank_threads.h"

namespace projnce::train {
namespace {

constexpr int64_t kRankViews = 2;
constexpr int64_t kRankPixels = 16;
constexpr int64_t kRankFeatures = 10;
constexpr int64_t kRankClasses = 3;

enum class Norm { kNone, kShared };

class TestEncoder : public encoder::Encoder {
 public:
  explicit TestEncoder(Norm norm)
      : first_(register_module("first", torch::nn::Linear(kRankPixels, kRankFeatures))),
        second_(register_module("second", torch::nn::Linear(kRankFeatures, kRankFeatures))) {
    if (norm == Norm::kShared) norm_ = register_module("norm", encoder::BatchNorm(kRankFeatures));
  }
  torch::Tensor forward(const torch::Tensor& images) override {
    const auto hidden = first_(images.flatten(1));
    return second_(torch::tanh(norm_.is_empty() ? hidden : norm_(hidden)));
  }
  int64_t feature_dim() const override { return kRankFeatures; }
  std::string describe() const override { return "for tests"; }

 private:
  torch::nn::Linear first_;
  torch::nn::Linear second_;
  encoder::BatchNorm norm_{nullptr};
};

/// Model and loss of one process, in double precision, initialized from a fixed seed.
struct Replica {
  Replica(const loss::LossOptions& options, Norm norm) {
    torch::manual_seed(4);
    model = std::make_shared<encoder::EmbeddingModel>(std::make_shared<TestEncoder>(norm),
                                                      encoder::HeadOptions{.dim = 6});
    loss = loss::make_loss(
        options, {.num_classes = kRankClasses, .embedding_dim = 6, .feature_dim = kRankFeatures});
    model->to(torch::kDouble);
    loss->to(torch::kDouble);
  }

  /// In the order that GradientBucketReducer expects: the loss's parameters first.
  std::vector<torch::Tensor> parameters() const {
    auto all = loss->parameters();
    for (const auto& parameter : model->parameters()) all.push_back(parameter);
    return all;
  }

  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;
};

loader::Batch make_batch_of(int64_t samples) {
  torch::manual_seed(7);
  loader::Batch batch;
  batch.views = kRankViews;
  batch.images = torch::randn({kRankViews * samples, 1, 4, 4}, torch::kDouble);
  batch.labels = torch::arange(samples) % kRankClasses;
  batch.indices = torch::arange(samples) + 100;
  return batch;
}

/// The part of the batch on one rank: all views of consecutive samples.
loader::Batch part_of(const loader::Batch& batch, int64_t rank, int64_t ranks) {
  const int64_t first = batch.size() * rank / ranks;
  const int64_t count = batch.size() * (rank + 1) / ranks - first;
  loader::Batch part;
  part.views = batch.views;
  part.images = batch.images.unflatten(0, {batch.views, batch.size()})
                    .narrow(1, first, count)
                    .flatten(0, 1)
                    .contiguous();
  part.labels = batch.labels.narrow(0, first, count).clone();
  part.indices = batch.indices.narrow(0, first, count).clone();
  return part;
}

/// Computes the gradients of one step; returns the loss and its parts, summed over ranks.
std::map<std::string, double> step(const Replica& replica, const loader::Batch& batch,
                                   const distributed::ProcessGroupPtr& ranks, bool shared) {
  distributed::GradientBucketReducer gradients(ranks, replica.parameters(), /*bucket_bytes=*/512);
  const auto value =
      backward_batch(*replica.model, batch.images,
                     {.views = kRankViews,
                      .encode_empty = shared,
                      .before_last_pass = [&] { gradients.prepare_for_backward(); }},
                     [&](const encoder::Encoded& leaves) {
                       return backward_global_loss(*ranks, *replica.loss, leaves, batch);
                     });
  gradients.finish();
  std::map<std::string, double> values;
  const auto add = [&](const std::string& name, const torch::Tensor& part) {
    auto sum = part.detach().to(torch::kDouble).clone().reshape({1});
    ranks->all_reduce(sum);
    values[name] = sum.item<double>();
  };
  add("loss", value.loss);
  for (const auto& [name, part] : value.parts) add(name, part);
  return values;
}

using Values = std::map<std::string, double>;

void expect_equal(const Replica& replica, const Values& values, const Replica& single,
                  const Values& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (const auto& [name, value] : expected) {
    EXPECT_NEAR(values.at(name), value, 1e-12 * std::max(1.0, std::abs(value))) << name;
  }
  const auto mine = replica.parameters();
  const auto theirs = single.parameters();
  for (size_t i = 0; i < mine.size(); ++i) {
    ASSERT_EQ(mine[i].grad().defined(), theirs[i].grad().defined()) << "parameter " << i;
    if (!mine[i].grad().defined()) continue;
    const auto error = (mine[i].grad() - theirs[i].grad()).abs().max().item<double>();
    EXPECT_LE(error, 1e-12) << "parameter " << i;
  }
  for (size_t i = 0; i < replica.model->buffers().size(); ++i) {
    EXPECT_TRUE(
        torch::allclose(replica.model->buffers()[i], single.model->buffers()[i], 1e-12, 1e-12));
  }
}

/// Every loss with its defaults, and projnce-perp with class vectors that exclude the anchor's
/// instance, whose views may be on any rank.
std::vector<loss::LossOptions> tested_losses() {
  std::vector<loss::LossOptions> all;
  for (const auto& name : loss::loss_names()) all.push_back(loss::loss_options(name));
  for (const auto source :
       {projection::SoftSource::kHard, projection::SoftSource::kNadarayaWatson}) {
    for (const auto priors : {loss::PriorSource::kBatch, loss::PriorSource::kUniform}) {
      auto options = loss::loss_options("projnce-perp");
      auto& perp = std::get<loss::ProjncePerpOptions>(options.own);
      perp.perp.soft_source = source;
      perp.leave_one_out = loss::LeaveOneOut::kInstance;
      perp.priors = priors;
      all.push_back(options);
    }
  }
  return all;
}

/// Checks every loss. The ranks join once for all losses, because joining is slower than the steps.
void expect_same_steps(Norm norm, int world, int64_t samples) {
  const auto losses = tested_losses();
  const auto batch = make_batch_of(samples);
  const bool shared = norm == Norm::kShared;
  std::vector<std::vector<Replica>> replicas(static_cast<size_t>(world));
  std::vector<std::vector<Values>> values(static_cast<size_t>(world));
  for (auto& of_rank : replicas) {
    for (const auto& options : losses) of_rank.emplace_back(options, norm);
  }
  testing::as_ranks(world, [&](const distributed::ProcessGroupPtr& ranks) {
    const auto rank = static_cast<size_t>(ranks->rank());
    const auto part = part_of(batch, ranks->rank(), world);
    const auto gather = [ranks](const torch::Tensor& mine) { return ranks->all_gather(mine); };
    for (const auto& replica : replicas[rank]) {
      if (shared) encoder::sync_batch_statistics(*replica.model, gather);
      values[rank].push_back(step(replica, part, ranks, shared));
    }
  });
  for (size_t i = 0; i < losses.size(); ++i) {
    const Replica single(losses[i], norm);
    const auto expected = step(single, batch, distributed::ProcessGroup::single_process(), false);
    for (size_t rank = 0; rank < replicas.size(); ++rank) {
      SCOPED_TRACE(losses[i].name + ", setting " + std::to_string(i) + ", rank " +
                   std::to_string(rank));
      expect_equal(replicas[rank][i], values[rank][i], single, expected);
    }
  }
}

TEST(GlobalLoss, MatchesOneProcessForEveryLossOnTwoAndFourRanks) {
  for (const int world : {2, 4}) expect_same_steps(Norm::kNone, world, 12);
}

TEST(GlobalLoss, MatchesOneProcessWithSyncBatchNormAndUnevenParts) {
  expect_same_steps(Norm::kShared, 3, 10);
}

TEST(GlobalLoss, MatchesOneProcessIfARankHasNoSamples) {
  expect_same_steps(Norm::kNone, 4, 3);
  expect_same_steps(Norm::kShared, 4, 3);
}

}  // namespace
}  // namespace projnce::train
