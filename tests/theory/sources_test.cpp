#include "projnce/theory/sources.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace projnce::theory {
namespace {

TEST(SphereRule, IntegratesPolynomialsAndExponentials) {
  const auto& [points, weights] = sphere_rule();
  EXPECT_NEAR(weights.sum().item<double>(), 4 * std::numbers::pi, 1e-12);
  const auto z = points.select(1, 2);
  EXPECT_NEAR((weights * z * z).sum().item<double>(), 4 * std::numbers::pi / 3, 1e-12);
  EXPECT_NEAR((weights * (8 * points.select(1, 0)).exp()).sum().item<double>(),
              4 * std::numbers::pi * std::sinh(8.0) / 8, 1e-8);
}

TEST(VmfMixture, HasTheKnownInformation) {
  const struct {
    int64_t classes;
    double kappa;
    double information;
  } known[] = {{2, 1, 0.1425555},   {2, 2, 0.3907046},  {2, 4, 0.6392789},  {2, 8, 0.6920954},
               {2, 12, 0.6931279},  {2, 20, 0.6931472}, {6, 1, 0.1515936},  {6, 2, 0.4790832},
               {6, 4, 1.0664335},   {6, 8, 1.5869064},  {6, 12, 1.7339667}, {6, 20, 1.7870396},
               {20, 1, 0.1515790},  {20, 2, 0.4793482}, {20, 4, 1.0821498}, {20, 8, 1.7691719},
               {20, 12, 2.1609216}, {20, 20, 2.5916404}};
  for (const auto& source : known) {
    EXPECT_NEAR(VmfMixture(source.classes, source.kappa).information(), source.information, 5.1e-8)
        << source.classes << " classes, kappa " << source.kappa;
  }
}

TEST(VmfMixture, HasTheKnownOptimalTemperature) {
  const struct {
    double kappa;
    double temperature;
  } known[] = {{1, 0.313035}, {2, 0.268657},  {4, 0.187668},
               {8, 0.109375}, {12, 0.076389}, {20, 0.047500}};
  for (const auto& source : known) {
    EXPECT_NEAR(VmfMixture(6, source.kappa).optimal_temperature(), source.temperature, 5.1e-7);
  }
}

/// A label is replaced by a uniform other class with probability `noise`.
double information_with_label_noise(const VmfMixture& source, double noise) {
  const auto clean = source.posterior(sphere_rule().points);
  const auto classes = static_cast<double>(source.num_classes());
  const auto noisy = (1 - noise) * clean + noise * (1 - clean) / (classes - 1);
  const auto divergence = (noisy * (classes * noisy).log()).sum(1, /*keepdim=*/true);
  return source.expectation(divergence.expand_as(noisy));
}

TEST(VmfMixture, LosesInformationByLabelNoise) {
  const VmfMixture source(6, 4);
  EXPECT_NEAR(information_with_label_noise(source, 0), source.information(), 1e-12);
  EXPECT_NEAR(information_with_label_noise(source, 0.1), 0.7931861, 5.1e-8);
  EXPECT_NEAR(information_with_label_noise(source, 0.3), 0.4203742, 5.1e-8);
  EXPECT_NEAR(information_with_label_noise(source, 0.5), 0.1731394, 5.1e-8);
}

TEST(VmfMixture, DrawsRowsOfItsClasses) {
  auto generator = experiment_generator(1);
  const VmfMixture source(20, 20);
  const auto rows = source.draw(20000, generator);
  EXPECT_TRUE(torch::allclose(rows.embeddings.norm(2, 1), torch::ones({20000}, torch::kFloat64)));
  for (int64_t c = 0; c < 20; ++c) {
    const auto of_class = rows.embeddings.index_select(0, (rows.labels == c).nonzero().squeeze(1));
    EXPECT_NEAR((of_class.mean(0) - source.class_means()[c]).norm().item<double>(), 0, 0.03);
  }
}

TEST(RandomLabels, HaveViewsOfEachInstance) {
  auto generator = experiment_generator(2);
  const auto rows = draw_random_labels(400, 5, 64, 2, generator);
  EXPECT_EQ(rows.instances.max().item<int64_t>(), 199);
  EXPECT_TRUE(torch::equal(rows.labels.narrow(0, 0, 200), rows.labels.narrow(0, 200, 200)));
  const auto cosine =
      (rows.embeddings.narrow(0, 0, 200) * rows.embeddings.narrow(0, 200, 200)).sum(1);
  EXPECT_NEAR(cosine.mean().item<double>(), 0.5, 0.05);
}

TEST(FiniteSource, HasTheKnownInformation) {
  const FiniteSource source;
  EXPECT_NEAR(source.information(), 0.210103140423, 5e-13);
  const auto priors = source.class_priors();
  EXPECT_NEAR(-(priors * priors.log()).sum().item<double>(), 0.688138813714, 5e-13);
}

}  // namespace
}  // namespace projnce::theory
