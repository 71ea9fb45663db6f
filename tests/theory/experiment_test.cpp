#include "projnce/theory/experiment.h"

#include <gtest/gtest.h>

#include <cmath>

namespace projnce::theory {
namespace {

std::vector<bool> outcomes(const Claims& claims) {
  std::vector<bool> holds;
  for (const auto& claim : claims.all()) holds.push_back(claim.holds);
  return holds;
}

TEST(Estimate, IsTheMeanWithItsStandardError) {
  const auto estimate = estimate_mean({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(estimate.mean, 2.5);
  EXPECT_DOUBLE_EQ(estimate.se, std::sqrt(5.0 / 3 / 4));
  EXPECT_EQ(to_text(estimate, 2), "2.50 ± 0.65");
  EXPECT_EQ(to_text({-0.5}), "-0.500");
}

TEST(Estimate, OfRepeatedDrawsHasOneEntryForEachValue) {
  double next = 0;
  const auto [up, constant] = repeat(4, [&] { return std::array{next += 1, 7.0}; });
  EXPECT_DOUBLE_EQ(up.mean, 2.5);
  EXPECT_DOUBLE_EQ(constant.mean, 7);
  EXPECT_DOUBLE_EQ(constant.se, 0);
}

TEST(Claims, InequalitiesAllowFourStandardErrorsAndAMargin) {
  Claims claims;
  claims.at_most("inside", {1.0408, 0.01}, {1});
  claims.at_most("outside", {1.0412, 0.01}, {1});
  claims.at_most("exact", {1.0009}, {1});
  claims.at_most("exact", {1.0011}, {1});
  claims.at_most("uncertain limit", {1.0508, 0.01}, {1, 0.01});
  claims.at_least("inside", {0.9592, 0.01}, {1});
  claims.at_least("outside", {0.9588, 0.01}, {1});
  EXPECT_EQ(outcomes(claims), (std::vector<bool>{true, false, true, false, true, true, false}));
}

TEST(Claims, CounterexamplesMustExceedByFourStandardErrors) {
  Claims claims;
  claims.exceeds("clearly", {1.05, 0.01}, 1);
  claims.exceeds("perhaps", {1.03, 0.01}, 1);
  EXPECT_EQ(outcomes(claims), (std::vector<bool>{true, false}));
}

TEST(Claims, ReferencesMustBeWithinFourCombinedStandardErrors) {
  Claims claims;
  claims.agrees("near", {1.05, 0.01}, {1, 0.01});
  claims.agrees("far", {1.06, 0.01}, {1, 0.01});
  claims.equals("digits", 0.5, 0.5 + 1e-9, 1e-8);
  claims.equals("digits", 0.5, 0.5 + 1e-7, 1e-8);
  EXPECT_EQ(outcomes(claims), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(claims.all()[0].text,
            "near: 1.0500 ± 0.0100 agrees with the reference 1.0000 ± 0.0100");
}

TEST(Claims, NotANumberNeverHolds) {
  const double nan = std::nan("");
  Claims claims;
  claims.at_most("nan", {nan}, {1});
  claims.at_least("nan", {nan}, {1});
  claims.exceeds("nan", {nan}, 1);
  claims.agrees("nan", {nan}, {1});
  claims.equals("nan", nan, 1, 1);
  EXPECT_EQ(outcomes(claims), std::vector<bool>(5, false));
}

}  // namespace
}  // namespace projnce::theory
