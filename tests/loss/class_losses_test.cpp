// The losses with class vectors or a classifier: values by hand, parameters, error sentences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/loss/ce.h"
#include "projnce/loss/joint.h"
#include "projnce/loss/projnce_med.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"
#include "projnce/loss/registry.h"
#include "projnce/loss/sce.h"
#include "tests/support/batches.h"
#include "tests/support/complaint.h"
#include "tests/support/grad_check.h"

namespace projnce::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ClassLosses : public ::testing::Test {
 protected:
  ContrastiveBatch batch() const { return self_batch(z_, y_); }

  torch::Tensor z_ = random_unit_rows(9, 4, 21);
  torch::Tensor y_ = torch::tensor({0, 2, 0, 1, 1, 2, 0, 2, 2});
  torch::Tensor w_ = random_unit_rows(5, 4, 22) * 2;
};

/// -z.g_y/t + log sum over rows j of e^{z.g_{y_j}/t}, row by row.
double naive_class_contrast(const torch::Tensor& z, const torch::Tensor& y, const torch::Tensor& g,
                            double t, bool with_self) {
  double sum = 0;
  const auto count = z.size(0);
  const auto score = [&](int64_t i, int64_t j) {
    return z[i].dot(g[y[j].item<int64_t>()]).item<double>() / t;
  };
  for (int64_t i = 0; i < count; ++i) {
    double mass = 0;
    for (int64_t j = 0; j < count; ++j) {
      if (with_self || j != i) mass += std::exp(score(i, j));
    }
    sum += -score(i, i) + std::log(mass);
  }
  return sum / static_cast<double>(count);
}

TEST_F(ClassLosses, TheDenominatorCountsEveryRowOfAClass) {
  const auto unit = w_ / w_.norm(2, 1, true);
  for (const bool self : {true, false}) {
    const auto denominator = self ? Leave::kNothing : Leave::kSelf;
    EXPECT_NEAR(projnce_mlp(batch(), w_, {.temperature = 0.3, .denominator = denominator})
                    .loss.item<double>(),
                naive_class_contrast(z_, y_, unit, 0.3, self), 1e-12);
  }
}

TEST_F(ClassLosses, UniformWeightsAreCrossEntropyOfTheScores) {
  const auto scores = z_.mm(w_.t()) / 0.3;
  EXPECT_NEAR(
      projnce_mlp(batch(), w_,
                  {.temperature = 0.3, .normalize_g = false, .class_weight = ClassWeight::kUniform})
          .loss.item<double>(),
      cross_entropy(scores, y_).item<double>(), 1e-12);
}

TEST_F(ClassLosses, AbsentClassesReceiveNoGradient) {
  const auto gradient =
      gradient_of([&](const torch::Tensor& w) { return projnce_mlp(batch(), w).loss; }, w_);
  EXPECT_TRUE((gradient.narrow(0, 3, 2) == 0).all().item<bool>());
  EXPECT_TRUE((gradient.narrow(0, 0, 3) != 0).any(1).all().item<bool>());
}

TEST_F(ClassLosses, TheClassMatrixHasTheGradientOfTheValue) {
  for (const bool normalize : {false, true}) {
    for (const auto weight : {ClassWeight::kCount, ClassWeight::kUniform}) {
      const ProjnceMlpOptions options{
          .temperature = 0.4, .normalize_g = normalize, .class_weight = weight};
      const auto f = [&](const torch::Tensor& w) { return projnce_mlp(batch(), w, options).loss; };
      EXPECT_LT(max_grad_error(f, w_), 1e-7);
    }
  }
}

TEST_F(ClassLosses, OneClassGivesLogNWithoutGradient) {
  const auto y = torch::zeros_like(y_);
  const auto losses = {
      std::function([&](const torch::Tensor& z) { return projnce_mlp(self_batch(z, y), w_).loss; }),
      std::function([&](const torch::Tensor& z) { return projnce_med(self_batch(z, y)).loss; }),
      std::function([&](const torch::Tensor& z) { return projnce_perp(self_batch(z, y)).loss; })};
  for (const auto& loss : losses) {
    EXPECT_NEAR(loss(z_).item<double>(), std::log(9.0), 1e-12);
    EXPECT_LT(gradient_of(loss, z_).abs().max().item<double>(), 1e-12);
  }
}

TEST_F(ClassLosses, AZeroClassVectorStaysZeroWhenNormalized) {
  auto w = w_.clone();
  w[1].zero_();
  const auto f = [&](const torch::Tensor& x) { return projnce_mlp(batch(), x).loss; };
  EXPECT_TRUE(std::isfinite(f(w).item<double>()));
  const auto gradient = gradient_of(f, w);
  EXPECT_TRUE((gradient[1] == 0).all().item<bool>());
  EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>());
}

TEST_F(ClassLosses, TheModuleOwnsItsClassVectors) {
  torch::manual_seed(3);
  ProjnceMlpLoss loss({}, 2000, 64);
  const auto vectors = loss.class_vectors();
  EXPECT_EQ(vectors.sizes(), (std::vector<int64_t>{2000, 64}));
  EXPECT_NEAR(vectors.square().sum(1).mean().item<double>(), 1, 0.02);  // N(0, 1/D)
  ASSERT_EQ(loss.parameters().size(), 1U);
  EXPECT_TRUE(loss.parameters()[0].requires_grad());
}

TEST_F(ClassLosses, AHiddenLayerTrainsThroughTheClassVectors) {
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

TEST_F(ClassLosses, LabelsOutsideTheMatrixAreASentence) {
  const auto y = torch::tensor({0, 1, 2, 3, 4, 5, 0, 1, 2});
  EXPECT_THAT(complaint([&] { projnce_mlp(self_batch(z_, y), w_); }),
              HasSubstr("projnce-mlp: label 5 is outside 0..4"));
  EXPECT_THAT(complaint([&] { projnce_mlp(self_batch(z_, y - 1), w_); }), HasSubstr("label -1"));
  EXPECT_THAT(complaint([&] { cross_entropy(z_, y); }), HasSubstr("ce: label 5 is outside 0..3"));
  EXPECT_THAT(complaint([&] { symmetric_cross_entropy(z_, y); }), HasSubstr("sce: label 5"));
  EXPECT_THAT(complaint([&] { projnce_mlp(batch(), w_.narrow(1, 0, 3)); }),
              HasSubstr("widths must be equal"));
}

TEST_F(ClassLosses, OptionsOutOfRangeAreSentences) {
  EXPECT_THAT(complaint([] { ProjncePerpLoss({.perp = {.nw = {.bandwidth = 0}}}); }),
              HasSubstr("bandwidth = 0 must be a number above 0"));
  EXPECT_THAT(complaint([] { ProjnceMedLoss({.temperature = -1}); }),
              HasSubstr("projnce-med: temperature = -1"));
  EXPECT_THAT(complaint([this] {
                projnce_mlp(batch(), w_,
                            {.denominator = Leave::kSelf, .class_weight = ClassWeight::kUniform});
              }),
              HasSubstr("uniform"));
  EXPECT_THAT(complaint([] { SceLoss({.A = 1}, 3, 3); }), HasSubstr("sce: A = 1"));
  EXPECT_THAT(
      complaint([this] { projnce_perp(batch(), {.perp = {.soft_source = SoftSource::kGiven}}); }),
      AllOf(HasSubstr("no soft labels"), HasSubstr("nw")));
  EXPECT_THAT(complaint([] { JointLoss(std::make_shared<SupConLoss>(), {.theta = 1.5}); }),
              HasSubstr("theta = 1.5"));
}

TEST_F(ClassLosses, CrossEntropyOfEqualLogitsIsLogC) {
  EXPECT_NEAR(cross_entropy(torch::zeros({9, 4}, torch::kFloat64), y_).item<double>(),
              std::log(4.0), 1e-15);
}

TEST_F(ClassLosses, ReverseCrossEntropyIsAddedWithPlusSign) {
  const auto logits = torch::zeros({9, 4}, torch::kFloat64);
  const SceOptions options{.alpha = 2, .beta = 3, .A = -4};
  EXPECT_NEAR(symmetric_cross_entropy(logits, y_, options).item<double>(),
              2 * std::log(4.0) + 3 * 4 * 0.75, 1e-12);
}

TEST_F(ClassLosses, ClassifiersReadFeaturesOrElseTheEmbeddings) {
  for (const std::string name : {"ce", "sce"}) {
    const auto loss =
        make_loss(loss_options(name), {.num_classes = 3, .embedding_dim = 4, .feature_dim = 7});
    auto wide = batch();
    wide.anchor_features = torch::randn({9, 7});
    EXPECT_TRUE(std::isfinite(loss->forward(wide).item<double>()));
    EXPECT_EQ(loss->logits(wide.anchor_features).sizes(), (std::vector<int64_t>{9, 3}));
    EXPECT_THAT(complaint([&] { loss->forward(batch()); }),
                HasSubstr("the classifier reads [N, 7]"));
    const auto narrow = make_loss(loss_options(name), {.num_classes = 3, .embedding_dim = 4});
    EXPECT_TRUE(std::isfinite(narrow->forward(batch()).item<double>()));
  }
}

}  // namespace
}  // namespace projnce::testing
