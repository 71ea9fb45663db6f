// Mixed KSG where the information is known by other means: mixtures of normal distributions.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "projnce/information/entropy.h"
#include "projnce/information/mixed_ksg.h"

namespace projnce::testing {
namespace {

using namespace information;

/// I(X;C) in nats of equally likely classes, X normal with deviation 1 around the class's mean:
/// the entropy of the mixture, by the trapezoidal rule, minus that of the normal distribution.
double mixture_information(const std::vector<double>& means) {
  constexpr double kStep = 1e-3;
  double entropy = 0;
  for (double x = -20; x < 40; x += kStep) {
    double density = 0;
    for (const double mean : means) density += std::exp(-(x - mean) * (x - mean) / 2);
    density /= std::sqrt(2 * std::numbers::pi) * double(means.size());
    if (density > 0) entropy -= kStep * density * std::log(density);
  }
  return entropy - 0.5 * std::log(2 * std::numbers::pi * std::numbers::e);
}

struct Mixture {
  torch::Tensor rows;
  torch::Tensor labels;
};

/// The classes differ in the first coordinate alone; the others are noise of deviation `noise`.
Mixture draw_mixture(const std::vector<double>& means, int64_t count, int64_t dim, double noise,
                     uint64_t seed) {
  auto generator = at::detail::createCPUGenerator(seed);
  const auto labels = torch::arange(count).remainder(int64_t(means.size()));
  auto rows = torch::randn({count, dim}, generator, torch::kFloat64);
  if (dim > 1) rows.narrow(1, 1, dim - 1).mul_(noise);
  rows.select(1, 0) += torch::tensor(means, torch::kFloat64).index_select(0, labels);
  return {rows, labels};
}

TEST(KnownInformation, TheReferenceIsRight) {
  EXPECT_NEAR(mixture_information({3}), 0, 1e-9);
  EXPECT_NEAR(mixture_information({0, 16}), std::log(2.0), 1e-9);
}

TEST(KnownInformation, OfMixturesIsFoundWithinItsError) {
  constexpr int64_t kCount = 4000;
  constexpr int kDraws = 5;
  const std::vector<std::vector<double>> mixtures = {
      {0, 0}, {0, 1}, {0, 2}, {0, 4}, {0, 2, 4, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  for (const auto& means : mixtures) {
    const double truth = mixture_information(means);
    const LabelInformationOptions options{.label_scale = 40};
    double sum = 0;
    double margins = 0;
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      const auto mixture = draw_mixture(means, kCount, 1, 0, seed);
      const auto margin = information_margin(mixture.rows, mixture.labels, options);
      ASSERT_TRUE(margin.has_value());
      const double found = label_information(mixture.rows, mixture.labels, options);
      EXPECT_NEAR(found, truth, 2 * *margin) << means.size() << " classes, seed " << seed;
      sum += found;
      margins += *margin;
    }
    // The mean of five is right to a half of what one is: no bias hides in the errors.
    EXPECT_NEAR(sum / kDraws, truth, margins / kDraws) << means.size() << " classes";
  }
}

TEST(KnownInformation, CoordinatesOfLittleNoiseChangeLittle) {
  const double truth = mixture_information({0, 3});
  const auto mixture = draw_mixture({0, 3}, 4000, 8, 0.01, 1);
  EXPECT_NEAR(label_information(mixture.rows, mixture.labels, {.label_scale = 40}), truth, 0.03);
}

TEST(InformationMargin, FallsAsRowsGrowAndNeedsSome) {
  const auto margin_of = [](int64_t count) {
    const auto mixture = draw_mixture({0, 2}, count, 1, 0, 3);
    return information_margin(mixture.rows, mixture.labels, {.label_scale = 40});
  };
  EXPECT_FALSE(margin_of(199).has_value()) << "a tenth has fewer than ten samples of each class";
  ASSERT_TRUE(margin_of(400).has_value());
  EXPECT_LT(*margin_of(40000), *margin_of(400) / 4) << "as the root of N: a tenth";
  EXPECT_EQ(margin_of(400), margin_of(400));
}

}  // namespace
}  // namespace projnce::testing
