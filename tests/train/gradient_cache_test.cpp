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

/// Everything a step leaves behind.
struct Outcome {
  torch::Tensor loss;
  std::map<std::string, torch::Tensor> gradients;
  std::vector<torch::Tensor> buffers;
  torch::Tensor generator;
};

/// Batch-norm, dropout and a memory of the rows it was given, each named by its first pixel.
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

/// Its output depends on how often it was called, which a buffer counts.
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

/// Counts the rows whose activations are in memory.
class WatchedEncoder : public SmallEncoder {
 public:
  torch::Tensor forward(const torch::Tensor& images) override {
    return SmallEncoder::forward(images) * watched_ones(images.size(0));
  }

  int64_t alive = 0;
  int64_t most_alive = 0;

 private:
  /// The graph holds these as long as it lives: the other factor's gradient needs them.
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

  /// From the same start as every other call: no gradients, buffers of a new model, same seed.
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

  /// What the cache must equal: the pieces are encoded by themselves and every graph is kept.
  Outcome kept_graphs(const std::vector<std::vector<int64_t>>& pieces) {
    return run([&] {
      std::vector<torch::Tensor> features;
      std::vector<torch::Tensor> embeddings;
      std::vector<int64_t> rows;
      for (const auto& piece : pieces) {
        const auto encoded = model->forward(images.index_select(0, torch::tensor(piece)));
        features.push_back(encoded.features);
        embeddings.push_back(encoded.embeddings);
        rows.insert(rows.end(), piece.begin(), piece.end());
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
  bool loss_draws = false;  ///< a random number that scales it
  torch::Tensor images;
  torch::Tensor labels;
  torch::Tensor instances;
};

/// Rows of the pieces that micro_batch = 3 cuts seven samples in two views into.
const std::vector<std::vector<int64_t>> kPiecesOfThree = {
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

TEST_F(GradientCache, EqualsOnePassForEveryLossAndEveryCut) {
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

TEST_F(GradientCache, EqualsOnePassOfAResNetInFloat32) {
  prepare(std::make_shared<encoder::ResNet>(
      encoder::ResNetOptions{.input = {.channels = 1, .height = kImageSize, .width = kImageSize},
                             .widths = {16, 32},
                             .blocks_per_stage = 1}));
  model->to(torch::kFloat32);
  images = images.to(torch::kFloat32).contiguous(torch::MemoryFormat::ChannelsLast);
  model->eval();
  expect_same_gradients(cached(3), cached(0), 1e-5);
}

TEST_F(GradientCache, BatchNormInTrainingNormalizesWithinAPieceAndCountsItOnce) {
  prepare(std::make_shared<SmallEncoder>());
  const auto found = cached(3);
  const auto expected = kept_graphs(kPiecesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
  EXPECT_EQ(found.buffers.back().item<int64_t>(), 3);  // batches tracked
}

TEST_F(GradientCache, DropoutRepeatsItsChoices) {
  prepare(std::make_shared<SmallEncoder>(0.4), "ce");
  const auto found = cached(3);
  const auto expected = kept_graphs(kPiecesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
}

TEST_F(GradientCache, TheGeneratorIsWhereTheLossLeftIt) {
  prepare(std::make_shared<SmallEncoder>(0.4));
  loss_draws = true;
  const auto found = cached(3);
  const auto expected = kept_graphs(kPiecesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
}

TEST_F(GradientCache, BuffersThatTheEncoderReadsAreAsTheFirstTimeToo) {
  prepare(std::make_shared<CountingEncoder>(), "ce");
  const auto found = cached(3);
  const auto expected = kept_graphs(kPiecesOfThree);
  expect_same_gradients(found, expected, 1e-12);
  expect_same_state(found, expected);
}

TEST_F(GradientCache, ALossOfFeaturesAloneLeavesTheHeadWithoutGradient) {
  prepare(std::make_shared<SmallEncoder>(), "ce");
  const auto found = cached(3);
  EXPECT_FALSE(found.gradients.at("head.layers.0.weight").defined());
  EXPECT_TRUE(found.gradients.at("encoder.linear.weight").defined());
  EXPECT_TRUE(found.gradients.at("loss.classifier.weight").defined());
}

TEST_F(GradientCache, AFrozenEncoderNeedsNoGradient) {
  for (const auto* name : {"ce", "supcon"}) {
    prepare(std::make_shared<SmallEncoder>(), name);
    model->eval();
    for (auto& parameter : model->encoder().parameters()) parameter.requires_grad_(false);
    expect_same_gradients(cached(3), cached(0), 1e-12);
  }
}

TEST_F(GradientCache, PiecesAreNearlyEqualAndHaveAllViewsOfTheirSamples) {
  const auto encoder = std::make_shared<SmallEncoder>();
  prepare(encoder);
  cached(3);
  ASSERT_EQ(encoder->seen.size(), 6U);  // each twice
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(encoder->seen[i], kPiecesOfThree[i]);
    EXPECT_EQ(encoder->seen[3 + i], kPiecesOfThree[i]);
  }
}

TEST_F(GradientCache, NoPieceIsASingleSampleUnlessAskedFor) {
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

TEST_F(GradientCache, PiecesKeepTheMemoryFormat) {
  const auto encoder = std::make_shared<SmallEncoder>();
  prepare(encoder);
  images = images.reshape({-1, 4, 2, 2}).contiguous(torch::MemoryFormat::ChannelsLast);
  cached(3);
  EXPECT_TRUE(encoder->channels_last);
}

TEST_F(GradientCache, TheGraphOfOnlyOnePieceIsAlive) {
  const auto encoder = std::make_shared<WatchedEncoder>();
  prepare(encoder);
  cached(0);
  EXPECT_EQ(encoder->most_alive, kViews * kBatch);
  encoder->most_alive = 0;
  cached(3);
  EXPECT_EQ(encoder->most_alive, kViews * 3);
  EXPECT_EQ(encoder->alive, 0);
}

TEST_F(GradientCache, AddsToTheGradientsAndReturnsAValueWithoutGraph) {
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

TEST_F(GradientCache, RejectsRowsThatAreNoWholeSamples) {
  prepare(std::make_shared<SmallEncoder>());
  const auto unused = [](const encoder::Encoded&) { return loss::LossValue{}; };
  EXPECT_THROW(backward_batch(*model, images, {.views = 3}, unused), c10::Error);
  EXPECT_THROW(backward_batch(*model, images, {.views = 2, .micro_batch = -1}, unused), c10::Error);
}

}  // namespace
}  // namespace projnce::train
