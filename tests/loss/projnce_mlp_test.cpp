#include "projnce/loss/projnce_mlp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/loss/ce.h"
#include "tests/loss/loss_battery.h"
#include "tests/loss/naive_pairs.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings projnce_mlp_settings() {
  LossSettings settings;
  const auto w = random_unit_rows(5, kBatteryDim, 99) * 1.7;
  const auto add = [&](const std::string& name, ProjnceMlpOptions options) {
    options.temperature = kTemperature;
    settings.push_back(
        {name, [options, w](const ContrastiveBatch& b) { return projnce_mlp(b, w, options); }, true,
         false, false});
  };
  add("unit", {});
  add("raw", {.normalize_g = false});
  add("exclude_self", {.denominator = Exclude::kSelf});
  add("uniform", {.class_weight = ClassWeight::kUniform});
  return settings;
}

INSTANTIATE_LOSS_TESTS(ProjnceMlp, projnce_mlp_settings);

class ProjnceMlpTest : public ClassLossTest {};

TEST_F(ProjnceMlpTest, TheDenominatorCountsEveryRowOfAClass) {
  const auto unit = w_ / w_.norm(2, 1, true);
  for (const bool self : {true, false}) {
    const auto denominator = self ? Exclude::kNone : Exclude::kSelf;
    EXPECT_NEAR(loss_of(projnce_mlp(batch(), w_, {.temperature = 0.3, .denominator = denominator})),
                naive_class_infonce(z_, y_, unit, 0.3, self), 1e-12);
  }
}

TEST_F(ProjnceMlpTest, UniformWeightsAreCrossEntropyOfTheScores) {
  const auto scores = z_.mm(w_.t()) / 0.3;
  const ProjnceMlpOptions options{
      .temperature = 0.3, .normalize_g = false, .class_weight = ClassWeight::kUniform};
  EXPECT_NEAR(loss_of(projnce_mlp(batch(), w_, options)), cross_entropy(scores, y_).item<double>(),
              1e-12);
}

TEST_F(ProjnceMlpTest, AbsentClassesReceiveNoGradient) {
  const auto gradient =
      gradient_of([&](const torch::Tensor& w) { return projnce_mlp(batch(), w).loss; }, w_);
  EXPECT_TRUE((gradient.narrow(0, 3, 2) == 0).all().item<bool>());
  EXPECT_TRUE((gradient.narrow(0, 0, 3) != 0).any(1).all().item<bool>());
}

TEST_F(ProjnceMlpTest, TheClassMatrixHasTheGradientOfTheValue) {
  for (const bool normalize : {false, true}) {
    for (const auto weight : {ClassWeight::kCount, ClassWeight::kUniform}) {
      const ProjnceMlpOptions options{
          .temperature = 0.4, .normalize_g = normalize, .class_weight = weight};
      const auto f = [&](const torch::Tensor& w) { return projnce_mlp(batch(), w, options).loss; };
      EXPECT_LT(max_grad_error(f, w_), 1e-7);
    }
  }
}

TEST_F(ProjnceMlpTest, OneClassGivesLogNWithoutGradient) {
  expect_log_n_for_one_class([this](const ContrastiveBatch& b) { return projnce_mlp(b, w_).loss; });
}

TEST_F(ProjnceMlpTest, AZeroClassVectorStaysZeroWhenNormalized) {
  auto w = w_.clone();
  w[1].zero_();
  const auto f = [&](const torch::Tensor& x) { return projnce_mlp(batch(), x).loss; };
  EXPECT_TRUE(std::isfinite(f(w).item<double>()));
  const auto gradient = gradient_of(f, w);
  EXPECT_TRUE((gradient[1] == 0).all().item<bool>());
  EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>());
}

TEST_F(ProjnceMlpTest, TheModuleOwnsItsClassVectors) {
  torch::manual_seed(3);
  ProjnceMlpLoss loss({}, 2000, 64);
  const auto vectors = loss.class_vectors();
  EXPECT_EQ(vectors.sizes(), (std::vector<int64_t>{2000, 64}));
  EXPECT_NEAR(vectors.square().sum(1).mean().item<double>(), 1, 0.02);  // N(0, 1/D)
  ASSERT_EQ(loss.parameters().size(), 1U);
  EXPECT_TRUE(loss.parameters()[0].requires_grad());
}

TEST_F(ProjnceMlpTest, AHiddenLayerTrainsThroughTheClassVectors) {
  torch::manual_seed(3);
  ProjnceMlpLoss loss({.hidden = 8}, 5, 4);
  loss.to(torch::kFloat64);
  EXPECT_EQ(loss.class_vectors().sizes(), (std::vector<int64_t>{5, 4}));
  loss.forward(batch()).backward();
  EXPECT_EQ(loss.parameters().size(), 4U);
  for (const auto& parameter : loss.parameters()) {
    EXPECT_GT(parameter.grad().abs().max().item<double>(), 0);
  }
}

TEST_F(ProjnceMlpTest, ErrorsNameTheInvalidOption) {
  const auto y = torch::tensor({0, 1, 2, 3, 4, 5, 0, 1, 2});
  EXPECT_THAT(error_message_of([&] { projnce_mlp(make_batch(z_, y), w_); }),
              HasSubstr("projnce-mlp: label 5 is outside 0..4"));
  EXPECT_THAT(error_message_of([&] { projnce_mlp(make_batch(z_, y - 1), w_); }),
              HasSubstr("label -1"));
  EXPECT_THAT(error_message_of([&] { projnce_mlp(batch(), w_.narrow(1, 0, 3)); }),
              HasSubstr("widths must be equal"));
  EXPECT_THAT(error_message_of([this] {
                projnce_mlp(batch(), w_,
                            {.denominator = Exclude::kSelf, .class_weight = ClassWeight::kUniform});
              }),
              HasSubstr("uniform"));
}

TEST_F(ProjnceMlpTest, SupportsFloat32) {
  const auto w = random_unit_rows(10, 32, 71);
  expect_float32_is_enough([&](const ContrastiveBatch& b) { return projnce_mlp(b, w).loss; });
}

class ProjnceMlpProperties : public BalancedLossTest {};

TEST_F(ProjnceMlpProperties, ClassVectorsAndEmbeddingsRotateTogether) {
  const auto w = random_unit_rows(3, 6, 1);
  const auto rotation = random_rotation(6, 2);
  EXPECT_NEAR(loss_of(projnce_mlp(make_batch(z_.mm(rotation), y_), w.mm(rotation))),
              loss_of(projnce_mlp(batch(), w)), 1e-12);
}

TEST_F(ProjnceMlpProperties, CriticIsTheLearnedMatrix) {
  torch::manual_seed(1);
  for (const bool normalize : {true, false}) {
    ProjnceMlpLoss loss({.normalize_g = normalize}, 3, 6);
    const auto vectors = loss.class_vectors().detach();
    const auto critic = loss.critic(z_, y_, 3);
    const auto expected = normalize ? vectors / vectors.norm(2, 1, true) : vectors;
    EXPECT_TRUE(torch::allclose(critic.class_vectors, expected));
    EXPECT_FALSE(critic.compares_rows);
    EXPECT_FALSE(loss.critic(z_, y_, 5).class_vectors.defined()) << "vectors of other classes";
  }
}

}  // namespace
}  // namespace projnce::testing
