#include "projnce/kernel/repulsion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "projnce/kernel/map_forces.h"
#include "tests/kernel/threads.h"
#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace kernel;

struct Forces {
  std::vector<float> forces;
  double mass = 0;
  bool operator==(const Forces&) const = default;
};

Forces compute_forces(const std::vector<float>& points, double theta) {
  Repulsion repulsion(theta);
  repulsion.build(points.data(), static_cast<int64_t>(points.size()) / 2);
  Forces result{std::vector<float>(points.size())};
#pragma omp parallel
  {
    SourceList list;
#pragma omp for schedule(dynamic, 1)
    for (int64_t part = 0; part < repulsion.parts(); ++part) {
      repulsion.compute_forces(part, list, result.forces.data());
    }
  }
  result.mass = repulsion.mass();
  return result;
}

/// Sums over all pairs, in double precision.
Forces exact_forces(const std::vector<float>& points) {
  Forces result{std::vector<float>(points.size())};
  for (size_t i = 0; i < points.size(); i += 2) {
    double x = 0, y = 0;
    for (size_t j = 0; j < points.size(); j += 2) {
      if (i == j) continue;
      const double dx = static_cast<double>(points[i]) - points[j];
      const double dy = static_cast<double>(points[i + 1]) - points[j + 1];
      const double q = 1 / (1 + dx * dx + dy * dy);
      result.mass += q;
      x += q * q * dx;
      y += q * q * dy;
    }
    result.forces[i] = static_cast<float>(x);
    result.forces[i + 1] = static_cast<float>(y);
  }
  return result;
}

/// Clusters of different size and spread, as in a t-SNE map.
std::vector<float> clusters(int64_t count, unsigned seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> points;
  for (int64_t i = 0; i < count; ++i) {
    const auto cluster = static_cast<float>(random() % 5);
    const float spread = 1 + cluster;
    points.push_back(scale * (20 * std::cos(cluster) + spread * normal(random)));
    points.push_back(scale * (20 * std::sin(3 * cluster) + spread * normal(random)));
  }
  return points;
}

double norm(const std::vector<float>& numbers) {
  double sum = 0;
  for (const float x : numbers) sum += static_cast<double>(x) * x;
  return std::sqrt(sum);
}

double relative_error(std::vector<float> got, const std::vector<float>& wanted) {
  for (size_t i = 0; i < got.size(); ++i) got[i] -= wanted[i];
  return norm(got) / norm(wanted);
}

class RepulsionTest : public KernelVariantTest {};

TEST_P(RepulsionTest, IsExactWithThetaZero) {
  for (const int64_t count : {2, 3, 8, 17, 63, 64, 65, 400, 2500}) {
    const auto points = clusters(count, 1);
    const auto wanted = exact_forces(points);
    const auto got = compute_forces(points, 0);
    EXPECT_LT(relative_error(got.forces, wanted.forces), 3e-6) << count;
    EXPECT_NEAR(got.mass, wanted.mass, 1e-6 * static_cast<double>(count) + 1e-6 * wanted.mass);
  }
}

TEST_P(RepulsionTest, BarnesHutIsCloseToAllPairs) {
  for (const float scale : {1e-4F, 1.0F, 3.0F}) {
    const auto points = clusters(3000, 2, scale);
    const auto wanted = exact_forces(points);
    double before = 0;
    for (const double theta : {0.2, 0.5, 1.0}) {
      const auto got = compute_forces(points, theta);
      const double error = relative_error(got.forces, wanted.forces);
      EXPECT_LT(error, theta * theta * 0.05) << theta << " at " << scale;
      EXPECT_NEAR(got.mass, wanted.mass, theta * theta * 0.02 * wanted.mass);
      EXPECT_GT(error, before) << "theta has no effect";
      before = error;
    }
  }
}

TEST_P(RepulsionTest, DoesNotDependOnTheNumberOfThreads) {
  const auto points = clusters(2000, 3);
  for (const double theta : {0.0, 0.5}) {
    const Threads alone(1);
    const auto wanted = compute_forces(points, theta);
    for (const int count : {2, 3}) {
      const Threads threads(count);
      EXPECT_TRUE(compute_forces(points, theta) == wanted);
    }
  }
}

TEST_P(RepulsionTest, CoincidentPointsHaveNoForce) {
  for (const float place : {0.0F, 3.25F}) {
    const std::vector<float> points(2 * 1000, place);
    for (const double theta : {0.0, 0.5}) {
      const auto got = compute_forces(points, theta);
      EXPECT_EQ(norm(got.forces), 0);
      EXPECT_DOUBLE_EQ(got.mass, 1000.0 * 999);
    }
  }
}

TEST_P(RepulsionTest, IsCorrectForManyPointsInTwoPlaces) {
  auto points = clusters(300, 4);
  for (int64_t i = 0; i < 500; ++i) points.insert(points.end(), {1.5F, -2.0F});
  for (int64_t i = 0; i < 300; ++i) points.insert(points.end(), {1.5F, 4.0F});
  const auto wanted = exact_forces(points);
  const auto got = compute_forces(points, 0.5);
  EXPECT_LT(relative_error(got.forces, wanted.forces), 0.003);
  EXPECT_NEAR(got.mass, wanted.mass, 0.001 * wanted.mass);
}

TEST_P(RepulsionTest, AttractionMatchesTheFormula) {
  const auto points = clusters(50, 5);
  std::mt19937 random(6);
  std::vector<int64_t> starts{0};
  std::vector<int32_t> partners;
  std::vector<float> weights;
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t springs = kAttractionStep * (i % 4);
    for (int64_t k = 0; k < springs; ++k) {
      partners.push_back(static_cast<int32_t>(random() % 50));
      weights.push_back(static_cast<float>(random() % 100) / 100);
    }
    starts.push_back(starts.back() + springs);
  }
  std::vector<float> forces(points.size(), -1);
  kernels<float>().attract({points.data(), starts.data(), partners.data(), weights.data()}, 3, 50,
                           forces.data());
  for (size_t i = 0; i < 50; ++i) {
    double x = 0, y = 0;
    for (auto e = static_cast<size_t>(starts[i]); e < static_cast<size_t>(starts[i + 1]); ++e) {
      const auto j = static_cast<size_t>(partners[e]);
      const double dx = static_cast<double>(points[2 * i]) - points[2 * j];
      const double dy = static_cast<double>(points[2 * i + 1]) - points[2 * j + 1];
      x += weights[e] / (1 + dx * dx + dy * dy) * dx;
      y += weights[e] / (1 + dx * dx + dy * dy) * dy;
    }
    EXPECT_NEAR(forces[2 * i], i < 3 ? -1 : x, 1e-5);
    EXPECT_NEAR(forces[2 * i + 1], i < 3 ? -1 : y, 1e-5);
  }
}

INSTANTIATE_KERNEL_VARIANTS(RepulsionTest);

}  // namespace
}  // namespace projnce::testing
