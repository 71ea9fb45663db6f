#include "projnce/theory/theory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "projnce/theory/sources.h"
#include "projnce/theory/sphere_rule.h"
#include "tests/support/complaint.h"
#include "tests/support/scratch_dir.h"

namespace projnce::testing {
namespace {

using ::testing::HasSubstr;

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
  } known[] = {{2, 1, 0.1425555},  {2, 20, 0.6931472}, {6, 4, 1.0664335},
               {6, 12, 1.7339667}, {20, 8, 1.7691719}, {20, 20, 2.5916404}};
  for (const auto& source : known) {
    EXPECT_NEAR(VmfMixture(source.classes, source.kappa).information(), source.information, 5e-8);
  }
  EXPECT_NEAR(VmfMixture(6, 12).optimal_temperature(), 0.076389, 5e-7);
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

TEST(NullSource, HasViewsOfEachInstance) {
  auto generator = experiment_generator(2);
  const auto rows = draw_null(400, 5, 64, 2, generator);
  EXPECT_EQ(rows.instances.max().item<int64_t>(), 199);
  const auto cosine =
      (rows.embeddings.narrow(0, 0, 200) * rows.embeddings.narrow(0, 200, 200)).sum(1);
  EXPECT_NEAR(cosine.mean().item<double>(), 0.5, 0.05);
}

TEST(Claims, AllowFourStandardErrorsAndAMargin) {
  Claims claims;
  claims.at_most("inside", {1.0408, 0.01}, 1);
  claims.at_most("outside", {1.0412, 0.01}, 1);
  claims.at_least("below", {0.9, 0.01}, 1);
  claims.agrees("near", {1.05, 0.01}, {1, 0.01});
  claims.agrees("far", {1.06, 0.01}, {1, 0.01});
  claims.equals("exact", 0.5, 0.5 + 1e-7, 1e-8);
  std::vector<bool> holds;
  for (const auto& claim : claims.all()) holds.push_back(claim.holds);
  EXPECT_EQ(holds, (std::vector<bool>{true, false, false, true, false, false}));
}

/// Every experiment with few repetitions: what must hold holds.
class SmallTheory : public ::testing::TestWithParam<std::string> {};

TEST_P(SmallTheory, Holds) {
  const auto results = run_theory({.only = {GetParam()}, .options = {.seed = 5, .effort = 0.1}},
                                  [](const TheoryResult&) {});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_FALSE(results[0].tables.empty());
  EXPECT_GE(results[0].claims.size(), 5U);
  for (const auto& claim : results[0].claims) EXPECT_TRUE(claim.holds) << claim.text;
}

INSTANTIATE_TEST_SUITE_P(Theory, SmallTheory,
                         ::testing::Values("T1", "T2", "T3", "T4", "T5", "T6", "T8"),
                         [](const auto& test) { return test.param; });

TEST(Theory, ReportsWhatIsViolated) {
  TheoryResult result{.id = "T9", .title = "Nothing", .summary = "", .seconds = 1};
  result.claims = {{"one is one", true}, {"one is two", false}};
  result.chart = {.title = "Nothing", .series = {{.name = "a", .points = {{.x = 1, .y = 1}}}}};
  EXPECT_EQ(result.violated(), 1);
  EXPECT_THAT(theory_text(result), HasSubstr("VIOLATED: one is two"));
  EXPECT_EQ(theory_json({result}).at("violated"), 1);
  const ScratchDir dir;
  const auto files = write_theory({result}, dir / "out");
  ASSERT_EQ(files.size(), 2U);
  for (const auto& file : files) EXPECT_GT(std::filesystem::file_size(file), 100U);
}

TEST(Theory, UnknownExperimentsAreRefused) {
  EXPECT_THAT(complaint([] { run_theory({.only = {"T11"}}, [](const TheoryResult&) {}); }),
              HasSubstr("T11"));
}

}  // namespace
}  // namespace projnce::testing
