#include "projnce/kernel/nadaraya_watson.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace kernel;

enum class Layout { kRandom, kClustered, kDuplicates, kZeros, kHuge };
constexpr Layout kLayouts[] = {Layout::kRandom, Layout::kClustered, Layout::kDuplicates,
                               Layout::kZeros, Layout::kHuge};
constexpr SmoothingKernel kKernels[] = {SmoothingKernel::kEpanechnikov,
                                        SmoothingKernel::kTriangular, SmoothingKernel::kMixed,
                                        SmoothingKernel::kExponential};
constexpr Metric kMetrics[] = {Metric::kL1, Metric::kL2, Metric::kCosine};

template <class T>
struct Batch {
  int64_t count;
  int64_t dim;
  int64_t num_classes;
  std::vector<T> rows;
  std::vector<int64_t> classes;
  std::vector<double> sum_grads;

  SmoothingProblem<T> problem(Metric metric, SmoothingKernel kernel, double bandwidth) const {
    return {rows.data(), classes.data(), count, dim, num_classes, kernel, metric, bandwidth};
  }
};

/// L2-normalized rows, some of them near or equal to others.
template <class T>
Batch<T> make_batch(int64_t count, int64_t dim, Layout layout, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Batch<T> batch{count, dim, 7, {}, {}, {}};
  std::vector<std::vector<double>> centers(7, std::vector<double>(static_cast<size_t>(dim)));
  for (auto& center : centers)
    std::generate(center.begin(), center.end(), [&] { return normal(random); });
  for (int64_t j = 0; j < count; ++j) {
    const size_t center = random() % 7;
    batch.classes.push_back(static_cast<int64_t>(random() % 5 == 0 ? random() % 7 : center));
    std::vector<double> row(static_cast<size_t>(dim));
    const double noise = layout == Layout::kDuplicates && j % 3 != 0 ? 0.0 : 0.3;
    for (size_t k = 0; k < row.size(); ++k) {
      row[k] =
          layout == Layout::kRandom ? normal(random) : centers[center][k] + noise * normal(random);
    }
    double length = 0;
    for (const double x : row) length += x * x;
    const double scale = layout == Layout::kZeros && j % 4 == 0 ? 0 : 1 / std::sqrt(length);
    // Two distant groups with norms so large that a unit distance is below the rounding error.
    const double far = layout == Layout::kHuge && j % 2 == 0 ? 1e6 : 0;
    for (const double x : row) batch.rows.push_back(static_cast<T>(x * scale + far));
  }
  for (int64_t i = 0; i < count * 7; ++i) batch.sum_grads.push_back(normal(random));
  return batch;
}

struct Values {
  std::vector<double> sums;
  std::vector<double> row_grads;
};

double value_at(SmoothingKernel kernel, double t) {
  switch (kernel) {
    case SmoothingKernel::kEpanechnikov:
      return 1 - t * t;
    case SmoothingKernel::kTriangular:
      return 1 - t;
    case SmoothingKernel::kMixed:
      return 1 - t / 2 - t * t / 2;
    case SmoothingKernel::kExponential:
      return std::expm1(1 - t) / std::expm1(1.0);
  }
  return 0;
}

double slope_at(SmoothingKernel kernel, double t) {
  switch (kernel) {
    case SmoothingKernel::kEpanechnikov:
      return -2 * t;
    case SmoothingKernel::kTriangular:
      return -1;
    case SmoothingKernel::kMixed:
      return -0.5 - t;
    case SmoothingKernel::kExponential:
      return -std::exp(1 - t) / std::expm1(1.0);
  }
  return 0;
}

template <class T>
double distance(const SmoothingProblem<T>& p, int64_t j, int64_t k) {
  double sum = 0;
  for (int64_t d = 0; d < p.dim; ++d) {
    const double u = p.rows[j * p.dim + d];
    const double v = p.rows[k * p.dim + d];
    if (p.metric == Metric::kL1) sum += std::abs(u - v);
    if (p.metric == Metric::kL2) sum += (u - v) * (u - v);
    if (p.metric == Metric::kCosine) sum += u * v;
  }
  if (p.metric == Metric::kL2) return std::sqrt(sum);
  return p.metric == Metric::kCosine ? 0.5 - 0.5 * sum : sum;
}

/// d distance(j, k) / d z_j, dimension d.
template <class T>
double distance_gradient(const SmoothingProblem<T>& p, int64_t j, int64_t k, int64_t d,
                         double length) {
  const double u = p.rows[j * p.dim + d];
  const double v = p.rows[k * p.dim + d];
  if (p.metric == Metric::kCosine) return -0.5 * v;
  if (p.metric == Metric::kL1) return (u > v) - (u < v);
  return length == 0 ? 0 : (u - v) / length;
}

/// Reference: the formulas of the header, pair by pair.
template <class T>
Values expected(const SmoothingProblem<T>& p, const std::vector<double>& sum_grads) {
  Values values{std::vector<double>(static_cast<size_t>(p.count * p.num_classes)),
                std::vector<double>(static_cast<size_t>(p.count * p.dim))};
  for (int64_t j = 0; j < p.count; ++j) {
    for (int64_t k = 0; k < p.count; ++k) {
      const double length = distance(p, j, k);
      const double t = length / p.bandwidth;
      if (j == k || t >= 1) continue;
      const auto to_row = static_cast<size_t>(j * p.num_classes + p.classes[k]);
      const auto to_other = static_cast<size_t>(k * p.num_classes + p.classes[j]);
      values.sums[to_row] += value_at(p.kernel, t);
      const double e =
          slope_at(p.kernel, t) / p.bandwidth * (sum_grads[to_row] + sum_grads[to_other]);
      for (int64_t d = 0; d < p.dim; ++d) {
        values.row_grads[static_cast<size_t>(j * p.dim + d)] +=
            e * distance_gradient(p, j, k, d, length);
      }
    }
  }
  return values;
}

template <class T>
struct Computed {
  std::vector<double> sums;
  std::vector<T> row_grads;
  bool operator==(const Computed&) const = default;
};

template <class T>
Computed<T> compute(const Batch<T>& batch, const SmoothingProblem<T>& problem) {
  Computed<T> result{std::vector<double>(batch.sum_grads.size()),
                     std::vector<T>(batch.rows.size())};
  kernel_sums(problem, result.sums.data());
  kernel_sums_gradient(problem, batch.sum_grads.data(), result.row_grads.data());
  return result;
}

/// Largest difference, relative to the largest entry or 1.
template <class A, class B>
double difference(const std::vector<A>& actual, const std::vector<B>& wanted) {
  double most = 0;
  double scale = 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double error = std::abs(static_cast<double>(actual[i]) - static_cast<double>(wanted[i]));
    if (!(error <= most)) most = error;  // also propagates NaN
    scale = std::max(scale, std::abs(static_cast<double>(wanted[i])));
  }
  return most / scale;
}

double bandwidth_for(Metric metric, Layout layout, int64_t dim) {
  const bool narrow = layout != Layout::kRandom;
  if (metric == Metric::kL1) return (narrow ? 0.5 : 1.15) * std::sqrt(static_cast<double>(dim));
  if (metric == Metric::kL2) return narrow ? 0.6 : 1.4;
  return narrow ? 0.2 : 0.5;
}

template <class T>
void expect_formulas(int64_t count, int64_t dim, double slack) {
  unsigned seed = 0;
  for (const auto layout : kLayouts) {
    for (const auto metric : kMetrics) {
      if (metric == Metric::kCosine && layout == Layout::kHuge) continue;  // rows not normalized
      const auto kernel = kKernels[seed % 4];
      const auto batch = make_batch<T>(count, dim, layout, ++seed);
      const auto problem = batch.problem(metric, kernel, bandwidth_for(metric, layout, dim));
      const auto wanted = expected(problem, batch.sum_grads);
      for (const auto& variant : available_variants()) {
        const UseVariant use(variant);
        const auto got = compute(batch, problem);
        const auto where = ::testing::Message()
                           << variant.name << ", N = " << count << ", D = " << dim << ", layout "
                           << static_cast<int>(layout) << ", metric " << static_cast<int>(metric)
                           << ", kernel " << static_cast<int>(kernel);
        EXPECT_LE(difference(got.sums, wanted.sums), slack) << where;
        EXPECT_LE(difference(got.row_grads, wanted.row_grads), slack) << where;
      }
    }
  }
}

TEST(KernelSums, AreTestedForAvx512) {
  if (best_isa() < Isa::kAvx512) {
    GTEST_SKIP() << "this CPU has no avx512: the 64-byte loops run on avx2 instead";
  }
  EXPECT_EQ(available_variants().size(), 4U);
}

TEST(KernelSums, MatchTheFormulasInDouble) {
  for (const int64_t count : {1, 2, 7, 25, 63, 64, 65, 97, 193}) {
    expect_formulas<double>(count, 19, 1e-12);
  }
  expect_formulas<double>(210, 64, 1e-12);
}

TEST(KernelSums, MatchTheFormulasInFloat) {
  for (const int64_t count : {1, 2, 15, 49, 63, 64, 65, 95, 96, 97, 193}) {
    expect_formulas<float>(count, 33, 2e-5);
  }
  expect_formulas<float>(210, 128, 2e-5);
}

TEST(KernelSums, DoNotDependOnTheNumberOfThreads) {
  const int before = omp_get_max_threads();
  const auto batch = make_batch<float>(700, 20, Layout::kClustered, 3);
  for (const auto metric : kMetrics) {
    const auto problem = batch.problem(metric, SmoothingKernel::kMixed,
                                       bandwidth_for(metric, Layout::kClustered, 20));
    for (const auto& variant : available_variants()) {
      const UseVariant use(variant);
      omp_set_num_threads(1);
      const auto single_thread = compute(batch, problem);
      for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        EXPECT_TRUE(compute(batch, problem) == single_thread) << variant.name << ", " << threads;
      }
    }
  }
  omp_set_num_threads(before);
}

TEST(KernelSums, SupportTestRejectsNoPairInside) {
  // Pairs just inside and just outside the support, far from the origin, where the dot-product form
  // is inaccurate.
  constexpr int64_t kDim = 16;
  Batch<float> batch{200, kDim, 1, {}, std::vector<int64_t>(200, 0), std::vector<double>(200, 1)};
  for (int64_t j = 0; j < 200; ++j) {
    for (int64_t d = 0; d < kDim; ++d) {
      batch.rows.push_back(d == 0 ? 20 + static_cast<float>(j) / 64 : 20.0F);
    }
  }
  for (const auto metric : {Metric::kL1, Metric::kL2}) {
    const auto problem = batch.problem(metric, SmoothingKernel::kTriangular, 33.5 / 64);
    for (const auto& variant : available_variants()) {
      const UseVariant use(variant);
      const auto got = compute(batch, problem);
      EXPECT_LE(difference(got.sums, expected(problem, batch.sum_grads).sums), 1e-6)
          << variant.name;
    }
  }
}

TEST(KernelSums, HandleNonfiniteRows) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), 1e30F, 1e-45F}) {
    auto batch = make_batch<float>(100, 5, Layout::kClustered, 4);
    batch.rows[37] = bad;
    for (const auto metric : {Metric::kL1, Metric::kL2, Metric::kCosine}) {
      const auto problem = batch.problem(metric, SmoothingKernel::kExponential, 0.7);
      for (const auto& variant : available_variants()) {
        const UseVariant use(variant);
        const auto got = compute(batch, problem);
        const double sum = got.sums[static_cast<size_t>(batch.classes[7])];  // row 0 sees row 7
        // NaN must not count as outside the support; infinity does.
        if (std::isnan(bad) || metric != Metric::kCosine) {
          EXPECT_EQ(std::isnan(sum), std::isnan(bad)) << variant.name << ", " << bad;
        }
      }
    }
  }
}

}  // namespace
}  // namespace projnce::testing
