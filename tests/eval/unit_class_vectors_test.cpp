// ProjNCE with unit class vectors: without R it is not a bound on the information, with R it is.
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <numbers>

#include "projnce/eval/information_bounds.h"
#include "projnce/loss/projnce.h"
#include "tests/support/batches.h"

namespace projnce::testing {
namespace {

/// Rows on the sphere S2 in six equiprobable classes: von Mises-Fisher distributions around the
/// unit vectors +-e_1, +-e_2, +-e_3.
information::LabeledRows draw_vmf(int64_t count, double kappa, uint64_t seed) {
  const auto labels = random_labels(count, 6, seed);
  const auto u = random_uniform(count, 2, seed + 1);
  const auto along =
      1 + (u.select(1, 0) + (1 - u.select(1, 0)) * std::exp(-2 * kappa)).log() / kappa;
  const auto across = (1 - along.square()).clamp_min(0).sqrt();
  const auto azimuth = u.select(1, 1) * (2 * std::numbers::pi);
  const auto axis = labels.div(2, "floor");
  const auto sign = 1 - 2 * labels.remainder(2).to(torch::kFloat64);
  auto rows = torch::zeros({count, 3}, torch::kFloat64);
  rows.scatter_(1, axis.unsqueeze(1), (sign * along).unsqueeze(1));
  rows.scatter_(1, (axis + 1).remainder(3).unsqueeze(1), (across * azimuth.cos()).unsqueeze(1));
  rows.scatter_(1, (axis + 2).remainder(3).unsqueeze(1), (across * azimuth.sin()).unsqueeze(1));
  return {rows, labels};
}

constexpr double kInformation = 1.7339667;  // I(Z;C) of six classes with kappa = 12, by quadrature
constexpr double kMargin = 0.001;           // nats, in addition to four standard errors

class UnitClassVectors : public ::testing::Test {
 protected:
  static constexpr double kTemperature = 0.07;
  loss::ProjnceLoss loss_{{.temperature = kTemperature, .normalize_g = true}};
};

TEST_F(UnitClassVectors, WithoutRMayExceedTheInformation) {
  constexpr int64_t kRows = 256;
  double claimed = 0;
  double ratio = 0;
  constexpr int kBatches = 20;
  for (uint64_t batch = 0; batch < kBatches; ++batch) {
    const auto rows = draw_vmf(kRows, 12, 100 + 10 * batch);
    const auto terms =
        loss::projnce_terms(loss::make_batch(rows.embeddings, rows.labels),
                            {.temperature = kTemperature, .beta = 1, .normalize_g = true});
    claimed += (std::log(kRows - 1.0) - terms.self_p.item<double>()) / kBatches;
    ratio += terms.ratio.mean().item<double>() / kBatches;
  }
  EXPECT_GT(claimed, kInformation + 0.05);
  EXPECT_GT(ratio, 1.1);
  EXPECT_LT(claimed + 1 - ratio, kInformation) << "R makes up for it";
}

TEST_F(UnitClassVectors, CertifiedBoundsOfTheCriticNeverExceedIt) {
  const auto train = draw_vmf(4096, 12, 7);
  const auto test = draw_vmf(20000, 12, 8);
  const auto critic = loss_.critic(train.embeddings, train.labels, 6);
  EXPECT_FALSE(critic.compares_rows) << "the pair form would compare with raw centroids";
  EXPECT_TRUE(torch::allclose(critic.class_vectors.norm(2, 1), torch::ones({6}, torch::kFloat64)));
  const auto bounds = eval::held_out_bounds({.rows = test,
                                             .class_vectors = critic.class_vectors,
                                             .negatives = critic.negatives,
                                             .pairs = critic.compares_rows},
                                            {.num_classes = 6}, kTemperature);
  EXPECT_NEAR(bounds.pair->value, 1.517, 0.04);
  EXPECT_LT(bounds.pair->value, kInformation);
  for (const auto& bound : {bounds.pair_normalized, bounds.by_class}) {
    EXPECT_NEAR(bound->value, 1.734, 0.02);
    EXPECT_LT(bound->value, kInformation + 4 * *bound->se + kMargin);
  }
}

}  // namespace
}  // namespace projnce::testing
