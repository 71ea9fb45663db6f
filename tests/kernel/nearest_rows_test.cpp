#include "projnce/kernel/nearest_rows.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace kernel;

template <class T>
struct Found {
  std::vector<int64_t> indices;
  std::vector<T> scores;
  bool operator==(const Found&) const = default;
};

template <class T>
Found<T> find(const NearestProblem<T>& p) {
  const auto size = static_cast<size_t>(p.num_queries * p.neighbors);
  Found<T> found{std::vector<int64_t>(size), std::vector<T>(size)};
  nearest_rows(p, found.indices.data(), found.scores.data());
  return found;
}

/// Brute force: all distances in double precision, sorted, with ties ordered by index.
template <class T>
Found<double> sorted(const NearestProblem<T>& p) {
  Found<double> found;
  const double sign = p.similarity == Similarity::kDotProduct ? -1 : 1;
  for (int64_t q = 0; q < p.num_queries; ++q) {
    std::vector<std::pair<double, int64_t>> all;
    for (int64_t r = 0; r < p.num_references; ++r) {
      if (p.exclude_self && r == q) continue;
      double sum = 0;
      for (int64_t d = 0; d < p.dim; ++d) {
        const double u = p.queries[q * p.dim + d];
        const double v = p.references[r * p.dim + d];
        sum += p.similarity == Similarity::kDotProduct ? u * v : (u - v) * (u - v);
      }
      all.emplace_back(sign * (p.similarity == Similarity::kDotProduct ? sum : std::sqrt(sum)), r);
    }
    std::sort(all.begin(), all.end());
    for (int64_t k = 0; k < p.neighbors; ++k) {
      found.indices.push_back(all[static_cast<size_t>(k)].second);
      found.scores.push_back(sign * all[static_cast<size_t>(k)].first);
    }
  }
  return found;
}

/// Small integers: dot products and squares are exact in any order, and ties are frequent.
template <class T>
std::vector<T> integers(int64_t count, unsigned seed, T offset = 0) {
  std::mt19937 random(seed);
  std::vector<T> rows;
  for (int64_t i = 0; i < count; ++i) rows.push_back(offset + static_cast<T>(random() % 7));
  return rows;
}

template <class T>
void expect_sorted(const NearestProblem<T>& p) {
  const auto wanted = sorted(p);
  for (const auto& variant : available_variants()) {
    const UseVariant use(variant);
    const auto got = find(p);
    EXPECT_EQ(got.indices, wanted.indices) << variant.name << ", " << p.num_queries << " x "
                                           << p.num_references << ", k = " << p.neighbors;
    for (size_t i = 0; i < wanted.scores.size(); ++i) {
      ASSERT_NEAR(got.scores[i], wanted.scores[i],
                  1e-5 * std::max(1.0, std::abs(wanted.scores[i])));
    }
  }
}

template <class T>
void expect_sorted_for_all_sizes() {
  constexpr int64_t kDim = 11;
  for (const int64_t count : {2, 15, 17, 97, 191, 192, 193, 400}) {
    const auto references = integers<T>(count * kDim, 1);
    const auto queries = integers<T>(50 * kDim, 2);
    for (const auto similarity : {Similarity::kDotProduct, Similarity::kDistance}) {
      for (const int64_t neighbors : {int64_t{1}, count / 2, count}) {
        expect_sorted<T>({queries.data(), 50, references.data(), count, kDim, neighbors, similarity,
                          /*exclude_self=*/false});
      }
      expect_sorted<T>({references.data(), count, references.data(), count, kDim, count - 1,
                        similarity, /*exclude_self=*/true});
    }
  }
}

TEST(NearestRows, MatchASortIncludingTies) {
  expect_sorted_for_all_sizes<float>();
  expect_sorted_for_all_sizes<double>();
}

TEST(NearestRows, MatchASortForFewNeighborsOfManyRows) {
  const auto rows = integers<float>(1500 * 3, 3);
  for (const auto similarity : {Similarity::kDotProduct, Similarity::kDistance}) {
    expect_sorted<float>({rows.data(), 300, rows.data(), 1500, 3, 20, similarity, true});
  }
}

TEST(NearestRows, EqualRowsAreOrderedByIndex) {
  const std::vector<float> rows(1000 * 5, 0.3F);
  for (const auto similarity : {Similarity::kDotProduct, Similarity::kDistance}) {
    expect_sorted<float>({rows.data(), 100, rows.data(), 1000, 5, 9, similarity, true});
  }
}

TEST(NearestRows, DistancesAreAccurateFarFromTheOrigin) {
  // The dot-product form would lose a distance of 1 to the rounding of the large squares.
  std::mt19937 random(4);
  std::vector<float> rows;
  for (int64_t i = 0; i < 800 * 16; ++i) {
    rows.push_back(4000 + static_cast<float>(random() % 512) / 256);
  }
  expect_sorted<float>({rows.data(), 100, rows.data(), 800, 16, 25, Similarity::kDistance, true});
}

TEST(NearestRows, MatchASortForManyClusters) {
  // Enough rows to use a sketch, clusters that it separates, and one row many times.
  constexpr int64_t kRows = 2200, kDim = 97;
  auto rows = integers<float>(kRows * kDim, 6);
  for (int64_t i = 0; i < kRows; ++i) rows[static_cast<size_t>(i * kDim + i % 5)] += 40;
  for (int64_t i = 1; i < 60; ++i) std::copy_n(rows.begin(), kDim, rows.begin() + 20 * i * kDim);
  expect_sorted<float>(
      {rows.data(), kRows, rows.data(), kRows, kDim, 30, Similarity::kDistance, true});
  const std::vector<float> zeros(kRows * kDim, 0);
  expect_sorted<float>(
      {zeros.data(), kRows, zeros.data(), kRows, kDim, 9, Similarity::kDistance, true});
}

TEST(NearestRows, DoNotDependOnTheNumberOfThreads) {
  const int before = omp_get_max_threads();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> rows(700 * 20);
  for (auto& x : rows) x = normal(random);
  const NearestProblem<float> problem{rows.data(), 700, rows.data(),           700,
                                      20,          40,  Similarity::kDistance, true};
  for (const auto& variant : available_variants()) {
    const UseVariant use(variant);
    omp_set_num_threads(1);
    const auto single_thread = find(problem);
    for (const int threads : {2, 3}) {
      omp_set_num_threads(threads);
      EXPECT_TRUE(find(problem) == single_thread) << variant.name;
    }
  }
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace projnce::testing
