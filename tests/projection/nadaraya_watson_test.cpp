#include "projnce/projection/perp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "projnce/kernel/isa.h"
#include "tests/support/batches.h"
#include "tests/support/error_message.h"
#include "tests/support/grad_check.h"
#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace projection;

using ::testing::HasSubstr;

struct SumsCase {
  std::string name;
  torch::Tensor rows;  // [M, D], float64
  Neighborhood near;
};

/// Rows around five centers; their neighbors share a class most of the time.
torch::Tensor clustered_rows(int64_t count, int64_t dim, uint64_t seed) {
  const auto centers = random_unit_rows(5, dim, seed);
  const auto which = torch::arange(count) % 5;
  const auto rows = centers.index_select(0, which) + 0.4 * random_unit_rows(count, dim, seed + 1);
  return rows / rows.norm(2, 1, true);
}

std::vector<SumsCase> sums_cases(int64_t count, int64_t dim) {
  const auto random = random_unit_rows(count, dim, 1);
  const auto clustered = clustered_rows(count, dim, 2);
  const auto repeated =
      clustered.index_select(0, torch::arange(count) % std::max<int64_t>(1, count / 2));
  auto degenerate = clustered.clone();
  degenerate.narrow(0, 0, (count + 1) / 2).zero_();
  // Two groups so far apart that next to their norm the width of a group is hard to see.
  const auto huge = clustered + 1e4 * (torch::arange(count) % 2).to(torch::kFloat64).unsqueeze(1);
  const auto width = std::sqrt(static_cast<double>(dim));
  using K = kernel::SmoothingKernel;
  return {{"random l1", random, {K::kTriangular, kernel::Metric::kL1, 1.1 * width}},
          {"random l1, narrow", random, {K::kEpanechnikov, kernel::Metric::kL1, 0.9}},
          {"random l2", random, {K::kMixed, kernel::Metric::kL2, 1.4}},
          {"random cosine", random, {K::kEpanechnikov, kernel::Metric::kCosine, 0.7}},
          {"clustered l1", clustered, {K::kExponential, kernel::Metric::kL1, 0.5 * width}},
          {"clustered l2", clustered, {K::kEpanechnikov, kernel::Metric::kL2, 0.6}},
          {"clustered cosine", clustered, {K::kExponential, kernel::Metric::kCosine, 0.2}},
          {"cosine of long rows", 1e3 * clustered, {K::kMixed, kernel::Metric::kCosine, 0.2}},
          {"repeated l1", repeated, {K::kMixed, kernel::Metric::kL1, 0.5 * width}},
          {"repeated l2", repeated, {K::kTriangular, kernel::Metric::kL2, 0.6}},
          {"repeated cosine", repeated, {K::kTriangular, kernel::Metric::kCosine, 0.2}},
          {"degenerate l1", degenerate, {K::kEpanechnikov, kernel::Metric::kL1, 0.6 * width}},
          {"degenerate l2", degenerate, {K::kExponential, kernel::Metric::kL2, 0.9}},
          {"degenerate cosine", degenerate, {K::kMixed, kernel::Metric::kCosine, 0.3}},
          {"huge l1", huge, {K::kTriangular, kernel::Metric::kL1, 0.5 * width}},
          {"huge l2", huge, {K::kMixed, kernel::Metric::kL2, 0.6}}};
}

struct SumsAndGradient {
  torch::Tensor sums;
  torch::Tensor gradient;
};

template <class Sums>
SumsAndGradient differentiated(const Sums& sums_of, const SumsCase& test,
                               const torch::Tensor& rows) {
  const auto labels = (torch::arange(rows.size(0)) * 7).div(5, "floor") % 5;
  const auto leaf = rows.detach().clone().requires_grad_();
  const auto sums = sums_of(leaf, group_by_class(labels), test.near);
  const auto weights = random_normal(sums.size(0), sums.size(1), 5).to(sums.scalar_type());
  (sums * weights).sum().backward();
  return {sums.detach().to(torch::kFloat64), leaf.grad().to(torch::kFloat64)};
}

void expect_near(const torch::Tensor& actual, const torch::Tensor& expected, double slack,
                 const std::string& where) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const auto scale = std::max(1.0, expected.abs().max().item<double>());
  EXPECT_LE((actual - expected).abs().max().item<double>(), slack * scale) << where;
}

/// Both are compared with the operators on the same numbers in double precision: their own single
/// precision would be the larger error.
void expect_kernels_equal_operators(int64_t count, int64_t dim) {
  for (const auto& test : sums_cases(count, dim)) {
    for (const auto type : {torch::kFloat64, torch::kFloat32}) {
      const auto rows = test.rows.to(type);
      const auto expected =
          differentiated(neighbor_sums_by_operators, test, rows.to(torch::kFloat64));
      for (const auto& variant : available_variants()) {
        const UseVariant use(variant);
        const auto actual = differentiated(neighbor_sums, test, rows);
        const auto where = test.name + ", " + variant.name + ", " + std::to_string(count) +
                           " rows of " + toString(type);
        const auto slack = type == torch::kFloat64 ? 1e-12 : 2e-5;
        expect_near(actual.sums, expected.sums, slack, where);
        expect_near(actual.gradient, expected.gradient, slack, where);
      }
    }
  }
}

TEST(NadarayaWatson, KernelsEqualOperators) {
  for (const int64_t count : {1, 2, 63, 64, 65, 97, 257}) {
    expect_kernels_equal_operators(count, 24);
  }
}

TEST(NadarayaWatson, KernelsEqualOperatorsForManyRows) {
  expect_kernels_equal_operators(1000, 16);
}

TEST(NadarayaWatson, RunsOnEveryInstructionSet) {
  if (kernel::best_isa() < kernel::Isa::kAvx512) {
    GTEST_SKIP() << "this processor stops at " << kernel::isa_name(kernel::best_isa())
                 << ": avx512 is not tested";
  }
  EXPECT_EQ(available_variants().size(), 4U);
}

TEST(NadarayaWatson, DoesNotDependOnTheNumberOfThreads) {
  const auto before = torch::get_num_threads();
  for (const auto& test : sums_cases(400, 24)) {
    const auto rows = test.rows.to(torch::kFloat32);
    torch::set_num_threads(1);
    const auto alone = differentiated(neighbor_sums, test, rows);
    for (const int threads : {2, 3}) {
      torch::set_num_threads(threads);
      const auto together = differentiated(neighbor_sums, test, rows);
      EXPECT_TRUE(torch::equal(alone.sums, together.sums)) << test.name;
      EXPECT_TRUE(torch::equal(alone.gradient, together.gradient)) << test.name;
    }
  }
  torch::set_num_threads(before);
}

TEST(NadarayaWatson, GradientsAreThoseOfTheValues) {
  const auto x = clustered_rows(12, 3, 6);
  const auto groups = group_by_class(torch::arange(12) % 4);
  const auto weights = random_unit_rows(12, 4, 7);
  for (const auto metric : {kernel::Metric::kL1, kernel::Metric::kL2, kernel::Metric::kCosine}) {
    for (const bool exclude_self : {false, true}) {
      const NadarayaWatsonOptions options{.kernel = kernel::SmoothingKernel::kExponential,
                                          .metric = metric,
                                          .bandwidth = metric == kernel::Metric::kL1 ? 1.2 : 0.8,
                                          .exclude_self = exclude_self};
      const auto f = [&](const torch::Tensor& rows) {
        return (nadaraya_watson(rows, groups, options) * weights).sum();
      };
      EXPECT_LT(max_grad_error(f, x, 1e-6), 1e-7) << static_cast<int>(metric);
    }
  }
}

TEST(NadarayaWatson, RejectsASecondDerivative) {
  const auto x = clustered_rows(6, 3, 8).requires_grad_();
  const auto groups = group_by_class(torch::arange(6) % 2);
  for (const auto sums_of : {neighbor_sums, neighbor_sums_by_operators}) {
    const auto sums =
        sums_of(x, groups, {kernel::SmoothingKernel::kTriangular, kernel::Metric::kL2, 1.0});
    EXPECT_THAT(error_message_of([&] {
                  torch::autograd::grad({sums.sum()}, {x}, {}, /*retain_graph=*/true,
                                        /*create_graph=*/true);
                }),
                HasSubstr("no second derivative"));
  }
}

TEST(NadarayaWatson, RowsThatAreNotFiniteAreNotHidden) {
  const auto groups = group_by_class(torch::arange(100) % 3);
  for (const auto metric : {kernel::Metric::kL1, kernel::Metric::kL2, kernel::Metric::kCosine}) {
    const NadarayaWatsonOptions options{.metric = metric, .bandwidth = 0.7};
    auto x = clustered_rows(100, 5, 9).to(torch::kFloat32);
    x[40][2] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(nadaraya_watson(x, groups, options).isnan().any().item<bool>());
    x[40][2] = std::numeric_limits<float>::infinity();
    const auto q = nadaraya_watson(x, groups, options);
    EXPECT_EQ(q.isfinite().all().item<bool>(), metric != kernel::Metric::kCosine);
    x[41][2] = std::numeric_limits<float>::infinity();  // how far from the other is unknown
    nadaraya_watson(x, groups, options);
  }
}

TEST(NadarayaWatson, SoftLabelsHaveTheTypeOfTheRows) {
  const auto groups = group_by_class(torch::arange(9) % 2);
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    const auto q = nadaraya_watson(clustered_rows(9, 4, 3).to(type), groups, {.bandwidth = 2});
    EXPECT_EQ(q.scalar_type(), type);
    EXPECT_LE((q.sum(1) - 1).abs().max().item<double>(), 1e-6);
  }
}

}  // namespace
}  // namespace projnce::testing
