// What the losses are known to do, beyond single values.
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cmath>

#include "projnce/information/entropy.h"
#include "projnce/loss/joint.h"
#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_med.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"
#include "projnce/loss/rince.h"
#include "projnce/loss/selfp.h"
#include "projnce/loss/simclr.h"
#include "projnce/loss/symnce.h"
#include "projnce/projection/sample.h"
#include "tests/support/batches.h"
#include "tests/support/grad_check.h"

namespace projnce::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double loss_of(const LossValue& value) {
  return value.loss.item<double>();
}

double part(const LossValue& value, const std::string& name) {
  for (const auto& [key, tensor] : value.parts) {
    if (key == name) return tensor.item<double>();
  }
  ADD_FAILURE() << "no part " << name;
  return 0;
}

/// Labels 0..classes-1 in turn.
torch::Tensor balanced_labels(int64_t rows, int64_t classes) {
  return torch::arange(rows).remainder(classes);
}

/// Unit rows around a direction for each class; `spread` 0 makes classes points.
torch::Tensor clustered_rows(const torch::Tensor& labels, int64_t dim, double spread,
                             uint64_t seed) {
  const auto centers = random_unit_rows(labels.max().item<int64_t>() + 1, dim, seed);
  const auto noise = random_unit_rows(labels.size(0), dim, seed + 1);
  const auto rows = centers.index_select(0, labels) + spread * noise;
  return rows / rows.norm(2, 1, true);
}

class Properties : public ::testing::Test {
 protected:
  ContrastiveBatch batch() const { return self_batch(z_, y_, inst_); }

  torch::Tensor z_ = random_unit_rows(16, 6, 31);
  torch::Tensor y_ = torch::tensor({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 2});
  torch::Tensor inst_ = torch::arange(16).remainder(8);
};

TEST_F(Properties, ProjnceWithoutRIsSupCon) {
  const auto f = [&](const torch::Tensor& z) {
    return projnce(self_batch(z, y_), {.beta = 0}).loss;
  };
  const auto g = [&](const torch::Tensor& z) { return supcon(self_batch(z, y_)).loss; };
  EXPECT_NEAR(f(z_).item<double>(), g(z_).item<double>(), 1e-13);
  EXPECT_LT((gradient_of(f, z_) - gradient_of(g, z_)).abs().max().item<double>(), 1e-13);
}

TEST_F(Properties, SelfpWithCentroidsAgainstSamplesIsProjnce) {
  SelfpLoss loss(std::make_shared<CentroidProjection>(), std::make_shared<SampleProjection>(),
                 {.beta = 3});
  const auto f = [&](const torch::Tensor& z) { return loss.forward(self_batch(z, y_)); };
  const auto g = [&](const torch::Tensor& z) {
    return projnce(self_batch(z, y_), {.beta = 3}).loss;
  };
  EXPECT_NEAR(f(z_).item<double>(), g(z_).item<double>(), 1e-12);
  EXPECT_LT((gradient_of(f, z_) - gradient_of(g, z_)).abs().max().item<double>(), 1e-12);
}

TEST_F(Properties, JointTrainingEndsAtItsParts) {
  const auto supervised = std::make_shared<ProjnceLoss>();
  EXPECT_NEAR(loss_of(JointLoss(supervised, {.theta = 0}).evaluate(batch())),
              loss_of(simclr(batch())), 1e-13);
  EXPECT_NEAR(loss_of(JointLoss(supervised, {.theta = 1}).evaluate(batch())),
              loss_of(projnce(batch())), 1e-13);
}

TEST_F(Properties, SymnceWithoutReverseIsSupCon) {
  EXPECT_NEAR(loss_of(symnce(batch(), {.beta = 0})), loss_of(supcon(batch())), 1e-13);
}

TEST_F(Properties, RinceTendsToInfonceAsQVanishes) {
  const auto limit = loss_of(supcon(batch(), {.temperature = 0.5})) + std::log(0.3);
  for (const double q : {1e-4, 1e-6, 1e-8}) {
    const auto loss = loss_of(rince(batch(), {.temperature = 0.5, .q = q, .lam = 0.3}));
    EXPECT_NEAR(loss, limit, 30 * q + 1e-11);
  }
}

TEST_F(Properties, PerpWithHardLabelsIsTheCentroidLossWhicheverWayTheyCome) {
  auto given = batch();
  given.candidate_soft_labels = torch::one_hot(y_, 3).to(torch::kFloat64);
  const auto one_hot = loss_of(projnce_perp(given, {.perp = {.soft_source = SoftSource::kGiven}}));
  const auto narrow = loss_of(projnce_perp(batch(), {.perp = {.nw = {.bandwidth = 1e-6}}}));
  const auto full =
      std::make_shared<CentroidProjection>(CentroidOptions{.rows = CentroidRows::kAll});
  SelfpLoss selfp(full, full, {.beta = 0, .denominator = Leave::kNothing});
  EXPECT_NEAR(one_hot, narrow, 1e-12);
  EXPECT_NEAR(one_hot, loss_of(selfp.evaluate(batch())), 1e-12);
}

TEST_F(Properties, PerpInL1EqualsCentroidsOnTheSphereForThePapersBandwidths) {
  const auto y = balanced_labels(128, 10);
  const auto b = self_batch(random_unit_rows(128, 128, 5), y);
  const auto narrow = loss_of(projnce_perp(b, {.perp = {.nw = {.bandwidth = 1e-6}}}));
  for (const double h : {0.1, 0.5, 0.9}) {
    EXPECT_EQ(loss_of(projnce_perp(b, {.perp = {.nw = {.bandwidth = h}}})), narrow);
  }
  const auto wide =
      loss_of(projnce_perp(b, {.perp = {.nw = {.metric = Metric::kCosine, .bandwidth = 0.7}}}));
  EXPECT_GT(std::abs(wide - narrow), 0.1);
}

TEST_F(Properties, RNeverExceedsOneWhereJensenSaysSo) {
  const std::pair<Leave, CentroidRows> bounded[] = {{Leave::kNothing, CentroidRows::kAll},
                                                    {Leave::kSelf, CentroidRows::kNotAnchor},
                                                    {Leave::kOwnClass, CentroidRows::kAll}};
  for (const double spread : {0.1, 0.5, 5.0}) {
    for (const int64_t classes : {2, 10, 40}) {
      const auto y = balanced_labels(80, classes);
      const auto b = self_batch(clustered_rows(y, 12, spread, 8), y);
      for (const auto& [exclude, centroid] : bounded) {
        const auto terms = projnce_terms(b, {.r_exclude = exclude, .r_centroid = centroid});
        EXPECT_LE(terms.ratio.max().item<double>(), 1 + 1e-6);
      }
    }
  }
}

TEST_F(Properties, RIsOneWithoutGradientWhereBothProjectionsAgree) {
  const auto centroid = std::make_shared<CentroidProjection>();
  const auto with = [&](double beta) {
    return [&, beta](const torch::Tensor& z) {
      return SelfpLoss(centroid, centroid, {.beta = beta}).forward(self_batch(z, y_));
    };
  };
  EXPECT_NEAR(with(5)(z_).item<double>(), with(0)(z_).item<double>() + 5, 1e-12);
  EXPECT_LT((gradient_of(with(5), z_) - gradient_of(with(0), z_)).abs().max().item<double>(),
            1e-12);
}

TEST_F(Properties, ClassVectorsAndEmbeddingsTurnTogether) {
  const auto w = random_unit_rows(3, 6, 1);
  const auto rotation = random_rotation(6, 2);
  EXPECT_NEAR(loss_of(projnce_mlp(self_batch(z_.mm(rotation), y_), w.mm(rotation))),
              loss_of(projnce_mlp(batch(), w)), 1e-12);
}

TEST_F(Properties, ClassBoundsStayBelowTheEntropyOfTheLabels) {
  const auto entropy = label_entropy(y_);
  const auto tight = clustered_rows(y_, 6, 0.01, 4);
  for (const auto& z : {z_, tight}) {
    const auto b = self_batch(z, y_);
    EXPECT_LE(part(projnce_perp(b), "mi_bound"), entropy + 1e-12);
    EXPECT_LE(part(projnce_med(b), "mi_bound"), entropy + 1e-12);
    EXPECT_LE(part(projnce_mlp(b, random_unit_rows(3, 6, 3)), "mi_bound"), entropy + 1e-12);
  }
  EXPECT_NEAR(part(projnce_perp(self_batch(tight, y_)), "mi_bound"), entropy, 1e-2);
}

TEST_F(Properties, SupConIsAtLeastTheLogarithmOfThePositives) {
  const auto y = balanced_labels(40, 4);
  for (const double spread : {0.0, 0.1, 1.0}) {
    const auto b = self_batch(clustered_rows(y, 8, spread, 6), y);
    const auto out = loss_of(supcon(b));
    const auto in = loss_of(supcon(b, {.variant = SupConVariant::kIn}));
    EXPECT_GE(in, std::log(9.0) - 1e-12);
    EXPECT_GE(out, in - 1e-12);
  }
}

/// ProjNCE (index, loo_i) with masks over N x N values, for comparison with class sums.
torch::Tensor full_matrix_projnce(const torch::Tensor& z, const torch::Tensor& y, double t) {
  const auto count = z.size(0);
  const auto self = torch::eye(count, torch::kBool);
  const auto same = y.unsqueeze(0) == y.unsqueeze(1);
  const auto s = (z.mm(z.t()) / t).masked_fill(self, -kInfinity);
  const auto others = (same & ~self).to(torch::kFloat64);
  const auto partners = others.sum(1);
  const auto below = s.logsumexp(1);
  const auto pulled = (others * s.masked_fill(self, 0)).sum(1) / partners.clamp_min(1);
  const auto selfp = torch::where(partners > 0, below - pulled, torch::zeros_like(below)).mean();
  auto ratios = torch::zeros({}, torch::kFloat64);
  for (int64_t i = 0; i < count; ++i) {
    const auto rest = torch::arange(count).masked_select(torch::arange(count) != i);
    const auto kin = same.index_select(0, rest).index_select(1, rest).to(torch::kFloat64);
    const auto centroids = kin.mm(z.index_select(0, rest)) / kin.sum(1, true);
    ratios = ratios + ((centroids.mv(z[i]) / t).logsumexp(0) - below[i]).exp();
  }
  return selfp + ratios / count;
}

TEST_F(Properties, ClassSumsEqualTheFullMatrixAtEverySize) {
  for (const int64_t count : {2, 63, 64, 65}) {
    const auto y = balanced_labels(count, 7);
    const auto z = random_unit_rows(count, 8, 40);
    const auto f = [&](const torch::Tensor& x) { return projnce(self_batch(x, y)).loss; };
    const auto g = [&](const torch::Tensor& x) { return full_matrix_projnce(x, y, 0.07); };
    EXPECT_NEAR(f(z).item<double>(), g(z).item<double>(), 1e-11) << count;
    EXPECT_LT((gradient_of(f, z) - gradient_of(g, z)).abs().max().item<double>(), 1e-11) << count;
  }
  EXPECT_EQ(loss_of(projnce(self_batch(z_.narrow(0, 0, 1), y_.narrow(0, 0, 1)))), 0);
  // Large enough for every blocked product inside: the loss by its parts.
  const auto y = balanced_labels(1000, 10);
  const auto z = random_unit_rows(1000, 16, 41);
  const auto s = (z.mm(z.t()) / 0.07).masked_fill(torch::eye(1000, torch::kBool), -kInfinity);
  EXPECT_NEAR(part(supcon(self_batch(z, y)), "uniformity"), s.logsumexp(1).mean().item<double>(),
              1e-11);
}

/// Adam on free embeddings; where ProjNCE comes to rest.
SelfpTerms settled_terms(double beta) {
  const auto y = balanced_labels(120, 4);
  auto free = random_unit_rows(120, 16, 50).requires_grad_();
  const auto terms = [&] {
    return projnce_terms(self_batch(free / free.norm(2, 1, true), y), {.beta = beta});
  };
  torch::optim::Adam optimizer({free}, torch::optim::AdamOptions(0.05));
  for (int step = 0; step < 500; ++step) {
    if (step == 300) {
      static_cast<torch::optim::AdamOptions&>(optimizer.param_groups()[0].options()).lr(0.005);
    }
    optimizer.zero_grad();
    terms().value.loss.backward();
    optimizer.step();
  }
  return terms();
}

TEST_F(Properties, RSettlesAtOneOverBeta) {
  for (const double beta : {2.0, 5.0, 10.0}) {
    const auto terms = settled_terms(beta);
    EXPECT_NEAR(terms.ratio.mean().item<double>(), 1 / beta, 0.01 / beta);
    EXPECT_NEAR(terms.selfp.item<double>(), std::log(29.0) + std::log(beta), 0.02);
  }
}

TEST_F(Properties, RandomLabelsGiveNoPositiveBoundWithTheAnchorLeftOut) {
  for (const int64_t classes : {2, 10, 100}) {
    double sum = 0;
    constexpr int kDraws = 5;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto z = random_unit_rows(256, 128, 60 + static_cast<uint64_t>(draw));
      const auto y = torch::randint(classes, {256});
      sum += part(projnce(self_batch(z, y)), "mi_bound");
    }
    EXPECT_LT(sum / kDraws, 0.05) << classes << " classes";
  }
  // In-sample centroids, by contrast, claim nats that are not there.
  const auto z = random_unit_rows(256, 128, 60);
  EXPECT_GT(part(projnce_perp(self_batch(z, torch::randint(100, {256}))), "mi_bound"), 1);
}

TEST_F(Properties, SinglePrecisionIsEnoughAtTheUsualTemperature) {
  const auto y = balanced_labels(128, 10);
  const auto inst = torch::arange(128).remainder(64);
  const auto z = clustered_rows(y, 32, 0.8, 70);
  const auto w = random_unit_rows(10, 32, 71);
  const std::vector<std::function<torch::Tensor(const ContrastiveBatch&)>> losses = {
      [](const ContrastiveBatch& b) { return supcon(b).loss; },
      [](const ContrastiveBatch& b) { return simclr(b).loss; },
      [](const ContrastiveBatch& b) { return projnce(b).loss; },
      [](const ContrastiveBatch& b) { return projnce_perp(b).loss; },
      [](const ContrastiveBatch& b) { return projnce_med(b).loss; },
      [&](const ContrastiveBatch& b) { return projnce_mlp(b, w).loss; },
      [](const ContrastiveBatch& b) { return rince(b).loss; },
      [](const ContrastiveBatch& b) { return symnce(b).loss; }};
  for (const auto& loss : losses) {
    const auto f = [&](const torch::Tensor& x) { return loss(self_batch(x, y, inst)); };
    const auto exact = gradient_of(f, z);
    const auto rough = gradient_of(f, z.to(torch::kFloat32)).to(torch::kFloat64);
    EXPECT_LT((exact - rough).abs().max().item<double>(), 1e-4 * exact.abs().max().item<double>());
  }
}

}  // namespace
}  // namespace projnce::testing
