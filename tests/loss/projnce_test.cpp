#include "projnce/loss/projnce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <limits>

#include "projnce/loss/supcon.h"
#include "tests/loss/loss_battery.h"
#include "tests/loss/naive_pairs.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings projnce_settings() {
  LossSettings settings;
  const auto add = [&settings](const std::string& name, ProjnceOptions options,
                               bool differentiable = true) {
    options.temperature = kTemperature;
    settings.push_back({name, [options](const ContrastiveBatch& b) { return projnce(b, options); },
                        differentiable});
  };
  add("leave_one_out", projnce_preset(ProjncePreset::kLeaveOneOut));
  add("paper", projnce_preset(ProjncePreset::kPaper));
  add("allpairs", projnce_preset(ProjncePreset::kAllPairs));
  add("beta0", {.beta = 0});
  add("beta5", {.beta = 5});
  add("skip", {.empty_positives = EmptyPositives::kSkip});
  add("class_full",
      {.r_exclude = Exclude::kSameClass, .r_centroid = projection::CentroidRows::kAll});
  add("none_loo_i", {.r_exclude = Exclude::kNone});
  add("leave_row_out", {.r_centroid = projection::CentroidRows::kNotRow});
  add("none_loo_k", {.r_exclude = Exclude::kNone, .r_centroid = projection::CentroidRows::kNotRow});
  add("detach", {.detach_centroid = true}, false);
  auto unit_paper = projnce_preset(ProjncePreset::kPaper);
  unit_paper.normalize_g = true;
  add("unit", {.normalize_g = true});
  add("unit_paper", unit_paper);
  add("unit_loo_k", {.r_centroid = projection::CentroidRows::kNotRow, .normalize_g = true});
  add("unit_detach", {.detach_centroid = true, .normalize_g = true}, false);
  add("loo_k_detach", {.r_centroid = projection::CentroidRows::kNotRow, .detach_centroid = true},
      false);
  return settings;
}

INSTANTIATE_LOSS_TESTS(Projnce, projnce_settings);

/// R_i by a loop over the candidates.
double naive_ratio(const NaivePairs& p, size_t i, const ProjnceOptions& options) {
  double above = 0;
  double below = 0;
  for (size_t k = 0; k < p.size(); ++k) {
    if (options.r_exclude == Exclude::kSelf && k == i) continue;
    if (options.r_exclude == Exclude::kSameClass && p.y[k] == p.y[i]) continue;
    const auto without = options.r_centroid == projection::CentroidRows::kAll ? NaivePairs::kNoRow
                         : options.r_centroid == projection::CentroidRows::kNotAnchor ? i
                                                                                      : k;
    above += std::exp(dot(p.z[i], p.centroid(p.y[k], without)) / p.t);
    below += std::exp(p.s(i, k));
  }
  return below == 0 ? 0 : above / below;
}

double naive_projnce(const torch::Tensor& rows, const torch::Tensor& labels,
                     const ProjnceOptions& options) {
  const NaivePairs p(rows, labels, options.temperature);
  double ratios = 0;
  for (size_t i = 0; i < p.size(); ++i) ratios += naive_ratio(p, i, options);
  return naive_supcon(rows, labels,
                      {.temperature = options.temperature,
                       .include_self_pos = options.include_self_pos,
                       .include_self_denom = options.include_self_denom,
                       .empty_positives = options.empty_positives}) +
         options.beta * ratios / static_cast<double>(p.size());
}

class ProjnceTest : public PairLossTest {};

TEST_F(ProjnceTest, MatchesTheFormulaPairByPair) {
  for (const auto exclude : {Exclude::kNone, Exclude::kSelf, Exclude::kSameClass}) {
    for (const auto centroid :
         {projection::CentroidRows::kAll, projection::CentroidRows::kNotAnchor,
          projection::CentroidRows::kNotRow}) {
      for (const bool self : {false, true}) {
        const ProjnceOptions options{.temperature = 0.3,
                                     .beta = 1.7,
                                     .include_self_pos = self,
                                     .include_self_denom = self,
                                     .r_exclude = exclude,
                                     .r_centroid = centroid};
        const auto expected = naive_projnce(z_, y_, options);
        EXPECT_NEAR(loss_of(projnce(batch(), options)), expected,
                    1e-12 * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST_F(ProjnceTest, IsCallableWithEmbeddingsAndLabels) {
  ProjnceLoss loss;
  EXPECT_EQ(loss(z_, y_).item<double>(), loss_of(projnce(batch())));
}

TEST_F(ProjnceTest, LeaveOneOutDividesByOneLess) {
  // Three equal rows of one class and an orthogonal one: the others' mean is the row itself.
  auto z = torch::zeros({4, 3}, torch::kFloat64);
  z.narrow(0, 0, 3).select(1, 0).fill_(1);
  z[3][1] = 1;
  const auto b = make_batch(z, torch::tensor({0, 0, 0, 1}));
  EXPECT_NEAR(
      part(projnce(b, {.temperature = 0.5, .empty_positives = EmptyPositives::kSkip}), "alignment"),
      -2, 1e-14);
  // And in R: every class is equidistant from every anchor, so R is exactly 1.
  EXPECT_NEAR(part(projnce(b, {.temperature = 0.5}), "R"), 1, 1e-14);
}

TEST_F(ProjnceTest, RIsAddedWithPlusSign) {
  // All rows equal: R = 1, so the loss is log(N-1) + beta.
  const auto b = make_batch(z_.narrow(0, 0, 1).expand({12, 5}).contiguous(), y_);
  const ProjnceOptions options{.beta = 3, .empty_positives = EmptyPositives::kSkip};
  EXPECT_NEAR(loss_of(projnce(b, options)), log_others_ + 3, 1e-10);
}

TEST_F(ProjnceTest, SingletonsHaveNoSelfPTermButKeepTheirR) {
  const auto b = make_batch(z_.narrow(0, 0, 4), torch::tensor({0, 1, 2, 3}));
  const auto value = projnce(b, {.beta = 1.5});
  EXPECT_NEAR(loss_of(value), 1.5, 1e-12);  // every centroid is a row: R_i = 1
  EXPECT_EQ(part(value, "valid_anchors"), 0);
}

TEST_F(ProjnceTest, PartsAddUpToTheLoss) {
  const auto value = projnce(batch(), {.temperature = 0.2, .beta = 2});
  EXPECT_NEAR(part(value, "alignment") + part(value, "uniformity") + 2 * part(value, "R"),
              loss_of(value), 1e-12);
}

TEST_F(ProjnceTest, SupportsFloat32) {
  expect_float32_is_enough([](const ContrastiveBatch& b) { return projnce(b).loss; });
}

TEST_F(ProjnceTest, RejectsATemperatureThatIsNotANumber) {
  EXPECT_THAT(error_message_of([] { ProjnceLoss({.temperature = std::nan("")}); }),
              HasSubstr("projnce: temperature = nan"));
}

class ProjnceProperties : public BalancedLossTest {};

TEST_F(ProjnceProperties, WithoutRIsSupCon) {
  const auto f = [&](const torch::Tensor& z) {
    return projnce(make_batch(z, y_), {.beta = 0}).loss;
  };
  const auto g = [&](const torch::Tensor& z) { return supcon(make_batch(z, y_)).loss; };
  EXPECT_NEAR(f(z_).item<double>(), g(z_).item<double>(), 1e-13);
  EXPECT_LT(largest_difference(gradient_of(f, z_), gradient_of(g, z_)), 1e-13);
}

TEST_F(ProjnceProperties, RNeverExceedsOneIfJensensInequalityApplies) {
  const std::pair<Exclude, projection::CentroidRows> bounded[] = {
      {Exclude::kNone, projection::CentroidRows::kAll},
      {Exclude::kSelf, projection::CentroidRows::kNotAnchor},
      {Exclude::kSameClass, projection::CentroidRows::kAll}};
  for (const double spread : {0.1, 0.5, 5.0}) {
    for (const int64_t classes : {2, 10, 40}) {
      const auto y = balanced_labels(80, classes);
      const auto b = make_batch(clustered_rows(y, 12, spread, 8), y);
      for (const auto& [exclude, centroid] : bounded) {
        const auto terms = projnce_terms(b, {.r_exclude = exclude, .r_centroid = centroid});
        EXPECT_LE(terms.ratio.max().item<double>(), 1 + 1e-6);
      }
    }
  }
}

/// ProjNCE (self, leave_one_out) with masks over N x N values, for comparison with class sums.
torch::Tensor full_matrix_projnce(const torch::Tensor& z, const torch::Tensor& y, double t) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  const auto count = z.size(0);
  const auto self = torch::eye(count, torch::kBool);
  const auto same = y.unsqueeze(0) == y.unsqueeze(1);
  const auto s = (z.mm(z.t()) / t).masked_fill(self, kMinusInfinity);
  const auto others = (same & ~self).to(torch::kFloat64);
  const auto partners = others.sum(1);
  const auto below = s.logsumexp(1);
  const auto positive = (others * s.masked_fill(self, 0)).sum(1) / partners.clamp_min(1);
  const auto self_p = torch::where(partners > 0, below - positive, torch::zeros_like(below)).mean();
  auto ratios = torch::zeros({}, torch::kFloat64);
  for (int64_t i = 0; i < count; ++i) {
    const auto rest = torch::arange(count).masked_select(torch::arange(count) != i);
    const auto kin = same.index_select(0, rest).index_select(1, rest).to(torch::kFloat64);
    const auto centroids = kin.mm(z.index_select(0, rest)) / kin.sum(1, true);
    ratios = ratios + ((centroids.mv(z[i]) / t).logsumexp(0) - below[i]).exp();
  }
  return self_p + ratios / count;
}

TEST_F(ProjnceProperties, ClassSumsEqualTheFullMatrixAtEverySize) {
  for (const int64_t count : {2, 63, 64, 65}) {
    const auto y = balanced_labels(count, 7);
    const auto z = random_unit_rows(count, 8, 40);
    const auto f = [&](const torch::Tensor& x) { return projnce(make_batch(x, y)).loss; };
    const auto g = [&](const torch::Tensor& x) { return full_matrix_projnce(x, y, 0.07); };
    EXPECT_NEAR(f(z).item<double>(), g(z).item<double>(), 1e-11) << count;
    EXPECT_LT(largest_difference(gradient_of(f, z), gradient_of(g, z)), 1e-11) << count;
  }
  EXPECT_EQ(loss_of(projnce(make_batch(z_.narrow(0, 0, 1), y_.narrow(0, 0, 1)))), 0);
}

/// The terms of ProjNCE after Adam on free embeddings.
InfoNCETerms converged_terms(double beta) {
  const auto y = balanced_labels(120, 4);
  auto free = random_unit_rows(120, 16, 50).requires_grad_();
  const auto terms = [&] {
    return projnce_terms(make_batch(free / free.norm(2, 1, true), y), {.beta = beta});
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

TEST_F(ProjnceProperties, RConvergesToOneOverBeta) {
  for (const double beta : {2.0, 5.0, 10.0}) {
    const auto terms = converged_terms(beta);
    EXPECT_NEAR(terms.ratio.mean().item<double>(), 1 / beta, 0.01 / beta);
    EXPECT_NEAR(terms.self_p.item<double>(), std::log(29.0) + std::log(beta), 0.02);
  }
}

TEST_F(ProjnceProperties, UnitCentroidsHaveTheirOwnCritic) {
  const auto critic = ProjnceLoss({.normalize_g = true}).critic(z_, y_, 4);
  EXPECT_FALSE(critic.compares_rows);
  EXPECT_TRUE(torch::equal(critic.negatives, z_));
  const auto present = critic.class_vectors.isnan().any(1).logical_not().nonzero().squeeze(1);
  EXPECT_EQ(present.size(0), std::get<0>(torch::_unique2(y_)).size(0));
  const auto norms = critic.class_vectors.index_select(0, present).norm(2, 1);
  EXPECT_LT((norms - 1).abs().max().item<double>(), 1e-12);
}

TEST_F(ProjnceProperties, ComparesRowsWithRows) {
  const auto critic = ProjnceLoss().critic(z_, y_, 3);
  EXPECT_TRUE(critic.compares_rows);
  EXPECT_FALSE(critic.class_vectors.defined() || critic.negatives.defined());
}

}  // namespace
}  // namespace projnce::testing
