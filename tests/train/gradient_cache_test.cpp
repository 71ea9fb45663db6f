#include "projnce/train/gradient_cache.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <map>

#include "projnce/encoder/resnet.h"
#include "projnce/loss/registry.h"

namespace projnce::train {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kViews = 2;
constexpr int64_t kBatch = 7;
constexpr int64_t kImageSize = 4;
constexpr int64_t kFeatures = 6;

/// Everything a step produces or modifies.
struct Outcome {
  torch::Tensor loss;
  std::map<std::string, torch::Tensor> gradients;
  std::vector<torch::Tensor> buffers;
  torch::Tensor generator;
};

/// Encoder with batch-norm and dropout that records its input rows, identified by their first
/// pixel.
class SmallEncoder : public encoder::Encoder {
 public:
  explicit SmallEncoder(double dropout = 0)
      : linear_(register_module("linear", torch::nn::Linear(kImageSize * kImageSize, kFeatures))),
        norm_(register_module("norm", torch::nn::BatchNorm1d(kFeatures))),
        dropout_(register_module("dropout", torch::nn::Dropout(dropout))) {}

  torch::Tensor forward(const torch::Tensor& images) override {
    const auto names = images.flatten(1).select(1, 0).to(torch::kInt64).contiguous();
    seen.emplace_back(names.data_ptr<int64_t>(), names.data_ptr<int64_t>() + names.numel());
    channels_last = images.is_contiguous(torch::MemoryFormat::ChannelsLast);
    return dropout_(torch::relu(norm_(linear_(images.flatten(1)))));
  }
  int64_t feature_dim() const override { return kFeatures; }
  std::string describe() const override { return "small"; }

  std::vector<std::vector<int64_t>> seen;
  bool channels_last = false;

 private:
  torch::nn::Linear linear_;
  torch::nn::BatchNorm1d norm_;
  torch::nn::Dropout dropout_;
};

/// Encoder whose output depends on the number of calls, which is stored in a buffer.
class CountingEncoder : public SmallEncoder {
 public:
  CountingEncoder() : calls_(register_buffer("calls", torch::zeros({1}))) {}

  torch::Tensor forward(const torch::Tensor& images) override {
    calls_ += 1;
    return SmallEncoder::forward(images) + calls_.clone();
  }

 private:
  torch::Tensor calls_;
};

/// Encoder that counts the rows whose activations are in memory.
class ActivationCountingEncoder : public SmallEncoder {
 public:
  torch::Tensor forward(const torch::Tensor& images) override {
    return SmallEncoder::forward(images) * watched_ones(images.size(0));
  }

  int64_t alive = 0;
  int64_t most_alive = 0;

 private:
  /// The graph keeps these alive, because the gradient of the other factor needs them.
  torch::Tensor watched_ones(int64_t rows) {
    alive += rows;
    most_alive = std::max(most_alive, alive);
    auto* values = new double[static_cast<size_t>(rows * kFeatures)];
    std::fill_n(values, rows * kFeatures, 1.0);
    const auto release = [this, rows](void* memory) {
      alive -= rows;
      delete[] static_cast<double*>(memory);
    };
    return torch::from_blob(values, {rows, kFeatures}, release, torch::kFloat64);
  }
};

/// A model with a loss and a batch, in float64.
class GradientCache : public ::testing::Test {
 protected:
  void prepare(encoder::EncoderPtr encoder, const std::string& loss_name = "supcon") {
    torch::manual_seed(1);
    model = std::make_shared<encoder::EmbeddingModel>(std::move(encoder),
                                                      encoder::HeadOptions{.dim = 5});
    loss = loss::make_loss(loss::loss_options(loss_name),
                           {.num_classes = 3, .embedding_dim = 5, .feature_dim = kFeatures});
    model->to(torch::kFloat64);
    loss->to(torch::kFloat64);
    set_batch(kBatch);
  }

  void set_batch(int64_t samples) {
    torch::manual_seed(2);
    images = torch::randn({kViews * samples, 1, kImageSize, kImageSize}, torch::kFloat64);
    images.flatten(1).select(1, 0).copy_(torch::arange(kViews * samples));
    labels = torch::arange(samples).remainder(3).repeat({kViews});
    instances = torch::arange(samples).repeat({kViews});
  }

  loss::LossValue evaluate(const encoder::Encoded& encoded) const {
    auto value =
        loss->evaluate(loss::make_batch(encoded.embeddings, labels, instances, encoded.features));
    if (loss_draws) value.loss = value.loss * torch::rand({}, torch::kFloat64);
    return value;
  }

  Outcome outcome(const torch::Tensor& value) const {
    Outcome result{.loss = value.detach(), .gradients = {}, .buffers = {}, .generator = {}};
    for (const auto& item : model->named_parameters())
      result.gradients[item.key()] = item.value().grad();
    for (const auto& item : loss->named_parameters())
      result.gradients["loss." + item.key()] = item.value().grad();
    for (const auto& buffer : model->buffers()) result.buffers.push_back(buffer.clone());
    result.generator = at::detail::getDefaultCPUGenerator().get_state();
    return result;
  }

  /// Runs `backward` from the same initial state in every call: no gradients, initial buffers,
  /// fixed seed.
  Outcome run(const std::function<torch::Tensor()>& backward) {
    std::vector<torch::Tensor> before;
    for (const auto& buffer : model->buffers()) before.push_back(buffer.clone());
    for (auto& parameter : model->parameters()) parameter.mutable_grad().reset();
    for (auto& parameter : loss->parameters()) parameter.mutable_grad().reset();
    torch::manual_seed(3);
    const auto result = outcome(backward());
    auto buffers = model->buffers();
    for (size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(before[i]);
    return result;
  }

  Outcome cached(int64_t micro_batch) {
    return run([&] {
      return backward_batch(
                 *model, images, {.views = kViews, .micro_batch = micro_batch},
                 [&](const encoder::Encoded& leaves) { return propagate(evaluate(leaves)); })
          .loss;
    });
  }

  /// Reference for the cache: encodes the micro-batches separately and keeps every graph.
  Outcome with_kept_graphs(const std::vector<std::vector<int64_t>>& micro_batches) {
    return run([&] {
      std::vector<torch::Tensor> features;
      std::vector<torch::Tensor> embeddings;
      std::vector<int64_t> rows;
      for (const auto& micro_batch : micro_batches) {
        const auto encoded = model->forward(images.index_select(0, torch::tensor(micro_batch)));
        features.push_back(encoded.features);
        embeddings.push_back(encoded.embeddings);
        rows.insert(rows.end(), micro_batch.begin(), micro_batch.end());
      }
      const auto order = torch::tensor(rows).argsort();
      const auto value = evaluate({torch::cat(features).index_select(0, order),
                                   torch::cat(embeddings).index_select(0, order)});
      value.loss.backward();
      return value.loss;
    });
  }

  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;
  bool loss_draws = false;  ///< if true, the loss is scaled by a random number
  torch::Tensor images;
  torch::Tensor labels;
  torch::Tensor instances;
};

/// Rows of the micro-batches into which micro_batch = 3 splits seven samples with two views.
const std::vector<std::vector<int64_t>> kMicroBatchesOfThree = {
    {0, 1, 7, 8}, {2, 3, 9, 10}, {4, 5, 6, 11, 12, 13}};

void expect_same_gradients(const Outcome& found, const Outcome& expected, double tolerance) {
  EXPECT_TRUE(torch::allclose(found.loss, expected.loss, tolerance, tolerance));
  ASSERT_EQ(found.gradients.size(), expected.gradients.size());
  for (const auto& [name, gradient] : expected.gradients) {
    const auto& other = found.gradients.at(name);
    ASSERT_EQ(other.defined(), gradient.defined()) << name;
    if (!gradient.defined()) continue;
    const double scale = gradient.abs().max().item<double>();
    EXPECT_LE((other - gradient).abs().max().item<double>(), tolerance * (scale + 1)) << name;
  }
}

void expect_same_state(const Outcome& found, const Outcome& expected) {
  ASSERT_EQ(found.buffers.size(), expected.buffers.size());
  for (size_t i = 0; i < found.buffers.size(); ++i) {
    EXPECT_TRUE(torch::equal(found.buffers[i], expected.buffers[i])) << "buffer " << i;
  }
  EXPECT_TRUE(torch::equal(found.generator, expected.generator));
}

TEST_F(GradientCache, MatchesOnePassForEveryLossAndMicroBatchSize) {
  for (const auto& name : loss::loss_names()) {
    prepare(std::make_shared<SmallEncoder>(), name);
    model->eval();
    const auto whole = cached(0);
    for (const int64_t micro_batch : {1, 2, 3, 4, 6}) {
      SCOPED_TRACE(name + " with micro_batch = " + std::to_string(micro_batch));
      expect_same_gradients(cached(micro_batch), whole, 1e-12);
    }
  }
}

TEST_F(GradientCache, MatchesOnePassOfAResNetInFloat32) {
  prepare(std::make_shared<encoder::ResNet>(
      encoder::ResNetOptions{.input = {.channels = 1, .height = kImageSize, .width = kImageSize},
                             .widths = {16, 32},
                             .blocks_per_stage = 1}));
  model->to(torch::kFloat32);
  images = images.to(torch::kFloat32).contiguous(torch::MemoryFormat::ChannelsLast);
  model->eval();
  expect_same_gradients(cached(3), cached(0), 1e-5);
}

TEST_F(GradientCache, BatchNormInTrainingNormalizesWithinAMicroBatchAndCountsItOnce) {
  prepare(std::make_shared<SmallEncoder>());
  const auto found = cached(3);
  const auto expected = with_kept_graphs(kMicroBatchesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
  EXPECT_EQ(found.buffers.back().item<int64_t>(), 3);  // batches tracked
}

TEST_F(GradientCache, DropoutRepeatsItsMasks) {
  prepare(std::make_shared<SmallEncoder>(0.4), "ce");
  const auto found = cached(3);
  const auto expected = with_kept_graphs(kMicroBatchesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
}

TEST_F(GradientCache, RestoresTheGeneratorStateAfterTheLoss) {
  prepare(std::make_shared<SmallEncoder>(0.4));
  loss_draws = true;
  const auto found = cached(3);
  const auto expected = with_kept_graphs(kMicroBatchesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
}

TEST_F(GradientCache, SecondEncodingReadsTheSameBuffers) {
  prepare(std::make_shared<CountingEncoder>(), "ce");
  const auto found = cached(3);
  const auto expected = with_kept_graphs(kMicroBatchesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
}

TEST_F(GradientCache, LossOnFeaturesOnlyGivesTheHeadNoGradient) {
  prepare(std::make_shared<SmallEncoder>(), "ce");
  const auto found = cached(3);
  EXPECT_FALSE(found.gradients.at("head.layers.0.weight").defined());
  EXPECT_TRUE(found.gradients.at("encoder.linear.weight").defined());
  EXPECT_TRUE(found.gradients.at("loss.classifier.weight").defined());
}

TEST_F(GradientCache, SupportsAFrozenEncoder) {
  for (const auto* name : {"ce", "supcon"}) {
    prepare(std::make_shared<SmallEncoder>(), name);
    model->eval();
    for (auto& parameter : model->encoder().parameters()) parameter.requires_grad_(false);
    expect_same_gradients(cached(3), cached(0), 1e-12);
  }
}

TEST_F(GradientCache, MicroBatchesAreNearlyEqualAndHaveAllViewsOfTheirSamples) {
  const auto encoder = std::make_shared<SmallEncoder>();
  prepare(encoder);
  cached(3);
  ASSERT_EQ(encoder->seen.size(), 6U);  // each twice
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(encoder->seen[i], kMicroBatchesOfThree[i]);
    EXPECT_EQ(encoder->seen[3 + i], kMicroBatchesOfThree[i]);
  }
}

TEST_F(GradientCache, NoMicroBatchHasASingleSampleUnlessRequested) {
  const auto encoder = std::make_shared<SmallEncoder>();
  prepare(encoder);
  const auto sizes = [&](int64_t samples, int64_t micro_batch) {
    set_batch(samples);
    encoder->seen.clear();
    cached(micro_batch);
    std::vector<int64_t> result;
    for (const auto& rows : encoder->seen) {
      result.push_back(static_cast<int64_t>(rows.size()) / kViews);
    }
    if (result.size() > 1) result.resize(result.size() / 2);  // the second pass repeats the first
    return result;
  };
  EXPECT_THAT(sizes(9, 8), ElementsAre(4, 5));
  EXPECT_THAT(sizes(4, 3), ElementsAre(2, 2));
  EXPECT_THAT(sizes(7, 2), ElementsAre(2, 2, 3));
  EXPECT_THAT(sizes(3, 2), ElementsAre(3));
  EXPECT_THAT(sizes(3, 1), ElementsAre(1, 1, 1));
  EXPECT_THAT(sizes(7, 0), ElementsAre(7));
  EXPECT_THAT(sizes(7, 7), ElementsAre(7));
  EXPECT_THAT(sizes(7, 100), ElementsAre(7));
}

TEST_F(GradientCache, MicroBatchesKeepTheMemoryFormat) {
  const auto encoder = std::make_shared<SmallEncoder>();
  prepare(encoder);
  images = images.reshape({-1, 4, 2, 2}).contiguous(torch::MemoryFormat::ChannelsLast);
  cached(3);
  EXPECT_TRUE(encoder->channels_last);
}

TEST_F(GradientCache, KeepsTheGraphOfOnlyOneMicroBatch) {
  const auto encoder = std::make_shared<ActivationCountingEncoder>();
  prepare(encoder);
  cached(0);
  EXPECT_EQ(encoder->most_alive, kViews * kBatch);
  encoder->most_alive = 0;
  cached(3);
  EXPECT_EQ(encoder->most_alive, kViews * 3);
  EXPECT_EQ(encoder->alive, 0);
}

TEST_F(GradientCache, AccumulatesGradientsAndReturnsAValueWithoutGraph) {
  prepare(std::make_shared<SmallEncoder>());
  model->eval();
  const EncodingPlan plan{.views = kViews, .micro_batch = 3};
  const auto once = cached(3).gradients.at("encoder.linear.weight").clone();
  const auto value = backward_batch(*model, images, plan, [&](const encoder::Encoded& leaves) {
    return propagate(evaluate(leaves));
  });
  EXPECT_FALSE(value.loss.requires_grad());
  EXPECT_TRUE(torch::allclose(model->named_parameters()["encoder.linear.weight"].grad(), 2 * once));
}

TEST_F(GradientCache, RejectsRowsNotDivisibleByViews) {
  prepare(std::make_shared<SmallEncoder>());
  const auto unused = [](const encoder::Encoded&) { return loss::LossValue{}; };
  EXPECT_THROW(backward_batch(*model, images, {.views = 3}, unused), c10::Error);
  EXPECT_THROW(backward_batch(*model, images, {.views = 2, .micro_batch = -1}, unused), c10::Error);
}

}  // namespace
}  // namespace projnce::train
