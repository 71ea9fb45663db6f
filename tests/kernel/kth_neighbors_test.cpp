#include "projnce/kernel/kth_neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "projnce/kernel/filter_by_quantized_distance.h"
#include "projnce/kernel/isa.h"
#include "projnce/kernel/table.h"
#include "tests/kernel/threads.h"
#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace kernel;

constexpr int64_t kGroups = 3;

/// Draws coordinate `k` of a row of a group. Covers distributions that are hard to quantize.
using DrawCoordinate = std::function<double(std::mt19937&, int64_t group, int64_t k)>;

double gauss(std::mt19937& random) {
  return std::normal_distribution<double>()(random);
}

const std::vector<std::pair<const char*, DrawCoordinate>> kScatters = {
    {"scattered", [](auto& random, auto, auto) { return gauss(random); }},
    {"in clusters",
     [](auto& random, auto g, auto k) { return 3.0 * (g == k % 3) + gauss(random); }},
    {"integers", [](auto& random, auto, auto) { return std::round(gauss(random)); }},
    {"tied, but not in float",
     [](auto& random, auto, auto) { return 0.1 * std::round(gauss(random)); }},
    {"equal", [](auto&, auto, auto) { return 7.3; }},
    {"equal in float alone",
     [](auto& random, auto, auto) { return 1e8 + 1e-7 * std::round(gauss(random)); }},
    {"huge", [](auto& random, auto, auto) { return 1e305 * gauss(random); }},
    {"tiny", [](auto& random, auto, auto) { return 1e-310 * gauss(random); }},
    {"of hardly different columns",
     [](auto& random, auto, auto k) { return k == 0 ? 1.0 : 1e-310 * std::round(gauss(random)); }},
    {"of very different columns",
     [](auto& random, auto g, auto k) { return k == 0 ? 1e6 * g : gauss(random); }},
};

struct ScatteredRows {
  std::vector<double> values;
  int64_t count;
  int64_t dim;
  std::vector<int64_t> starts;
};

ScatteredRows scatter_rows(int64_t count, int64_t dim, const DrawCoordinate& coordinate,
                           uint32_t seed) {
  std::mt19937 random(seed);
  ScatteredRows data{std::vector<double>(static_cast<size_t>(count * dim)), count, dim, {}};
  for (int64_t i = 0; i < count; ++i) {
    const auto group = i * kGroups / count;
    if (i == 0 || group != (i - 1) * kGroups / count) data.starts.push_back(i);
    for (int64_t k = 0; k < dim; ++k) data.values[i * dim + k] = coordinate(random, group, k);
  }
  return data;
}

std::vector<double> all_distances(const ScatteredRows& data) {
  std::vector<double> result(static_cast<size_t>(data.count * data.count));
  for (int64_t i = 0; i < data.count; ++i) {
    for (int64_t j = 0; j < data.count; ++j) {
      for (int64_t k = 0; k < data.dim; ++k) {
        const auto difference = data.values[i * data.dim + k] - data.values[j * data.dim + k];
        auto& distance = result[i * data.count + j];
        distance = std::max(distance, std::abs(difference));
      }
    }
  }
  return result;
}

std::vector<double> plain_kth(const ScatteredRows& data, const std::vector<double>& distances,
                              int64_t k) {
  std::vector<double> result;
  for (int64_t i = 0; i < data.count; ++i) {
    std::vector<double> others(distances.begin() + i * data.count,
                               distances.begin() + (i + 1) * data.count);
    others.erase(others.begin() + i);
    std::sort(others.begin(), others.end());
    result.push_back(others[k - 1]);
  }
  return result;
}

std::vector<int64_t> plain_counts(const ScatteredRows& data, const std::vector<double>& distances,
                                  const std::vector<double>& limits) {
  std::vector<int64_t> result(limits.size());
  for (int64_t i = 0; i < data.count; ++i) {
    for (int64_t j = 0; j < data.count; ++j) {
      result[i] += distances[i * data.count + j] < limits[i];
    }
  }
  return result;
}

/// Limits equal to existing distances, just above them, and 0.
std::vector<double> edge_case_limits(std::vector<double> limits) {
  for (size_t i = 0; i < limits.size(); ++i) {
    if (i % 7 == 0) limits[i] = 0;
    if (i % 5 == 0) limits[i] = std::nextafter(limits[i], std::numeric_limits<double>::max());
  }
  return limits;
}

void expect_plain_answers(const ScatteredRows& data, int64_t k, const std::string& note) {
  const auto distances = all_distances(data);
  const MaxNormRows rows(data.values.data(), data.count, data.dim, data.dim, data.starts);
  const auto kth = plain_kth(data, distances, k);
  const auto nearest = kth_neighbors(rows, k);
  EXPECT_EQ(nearest.distances, kth) << note;
  auto all = count_closer(rows, kth, CountedPairs::kOtherGroups);
  for (size_t i = 0; i < all.size(); ++i) all[i] += nearest.closer_in_group[i];
  EXPECT_EQ(all, plain_counts(data, distances, kth)) << note;
  const auto limits = edge_case_limits(kth);
  EXPECT_EQ(count_closer(rows, limits), plain_counts(data, distances, limits)) << note;
}

using Neighbors = KernelVariantTest;

TEST_P(Neighbors, MatchBruteForceInDouble) {
  const Threads one(1);
  uint32_t seed = 0;
  for (const auto& [name, coordinate] : kScatters) {
    for (const int64_t count : {2, 3, 63, 64, 65, 350}) {
      for (const int64_t dim : {1, 3, 17, 130}) {
        const auto data = scatter_rows(count, dim, coordinate, ++seed);
        for (const int64_t k : {1, 5, 62}) {
          if (k >= count) continue;
          expect_plain_answers(data, k,
                               std::string(name) + ": " + std::to_string(count) + " rows of " +
                                   std::to_string(dim) + ", k = " + std::to_string(k));
        }
      }
    }
  }
}

TEST_P(Neighbors, DoNotDependOnTheNumberOfThreads) {
  const auto data = scatter_rows(1000, 17, kScatters[1].second, 3);
  for (const int threads : {1, 2, 3}) {
    const Threads limited(threads);
    expect_plain_answers(data, 5, std::to_string(threads) + " threads");
  }
}

/// A tile of random codes.
struct CodeTileCase {
  explicit CodeTileCase(int64_t dimensions)
      : dim(dimensions), rows(kCodeRows * dim), panel(kCodeColumns * dim) {
    std::mt19937 random(static_cast<uint32_t>(dim));
    for (auto& code : rows) code = static_cast<uint8_t>(random());
    for (auto& code : panel) code = static_cast<uint8_t>(random());
    for (int64_t k = 0; k < dim; ++k) order.push_back(static_cast<int32_t>(dim - 1 - k));
  }

  int difference(int64_t row, int64_t column) const {
    int most = 0;
    for (int64_t k = 0; k < dim; ++k) {
      most = std::max(most, std::abs(rows[row * dim + k] - panel[k * kCodeColumns + column]));
    }
    return most;
  }

  bool look(const std::vector<uint8_t>& row_limit, const std::vector<uint8_t>& column_limit) {
    return kernels<double>().filter_by_quantized_distance(
        rows.data(), dim, panel.data(), order.data(), dim, row_limit.data(), column_limit.data(),
        differences.data(), near.data());
  }

  int64_t dim;
  std::vector<uint8_t> rows;
  std::vector<uint8_t> panel;
  std::vector<int32_t> order;
  std::vector<uint8_t> differences = std::vector<uint8_t>(kCodeRows * kCodeColumns);
  std::vector<uint8_t> near = differences;
};

TEST_P(Neighbors, CodeTilesAreExactUnlessAllPairsAreFar) {
  for (const int64_t dim : {1, 3, 8, 17, 128}) {
    CodeTileCase tile(dim);
    int least = 255;
    for (int64_t m = 0; m < kCodeRows; ++m) {
      for (int64_t c = 0; c < kCodeColumns; ++c) least = std::min(least, tile.difference(m, c));
    }
    const auto limits = [](int64_t count, int limit) {
      return std::vector<uint8_t>(static_cast<size_t>(count), static_cast<uint8_t>(limit));
    };
    if (least > 0) {
      EXPECT_FALSE(tile.look(limits(kCodeRows, least - 1), limits(kCodeColumns, least - 1)));
    }
    for (const int limit : {least, (least + 255) / 2, 255}) {
      ASSERT_TRUE(tile.look(limits(kCodeRows, limit), limits(kCodeColumns, 0)));
      ASSERT_TRUE(tile.look(limits(kCodeRows, 0), limits(kCodeColumns, limit)));
      for (int64_t m = 0; m < kCodeRows; ++m) {
        for (int64_t c = 0; c < kCodeColumns; ++c) {
          const int difference = tile.difference(m, c);
          ASSERT_EQ(tile.differences[m * kCodeColumns + c], difference);
          ASSERT_EQ(tile.near[m * kCodeColumns + c], difference <= limit ? 255 : 0);
        }
      }
    }
  }
}

TEST_P(Neighbors, LargestDifferenceExitsEarlyAtTheLimit) {
  std::mt19937 random(2);
  for (const int64_t dim : {1, 7, 32, 64, 129}) {
    std::vector<double> a(dim);
    std::vector<double> b(dim);
    double most = 0;
    for (int64_t k = 0; k < dim; ++k) {
      a[k] = gauss(random);
      b[k] = gauss(random);
      most = std::max(most, std::abs(a[k] - b[k]));
    }
    const auto largest = [&](double enough) {
      return kernels<double>().largest_difference(a.data(), b.data(), dim, enough);
    };
    EXPECT_EQ(largest(std::nextafter(most, 100.0)), most);
    EXPECT_GE(largest(most), most);
    EXPECT_GE(largest(most / 2), most / 2);
  }
}

INSTANTIATE_KERNEL_VARIANTS(Neighbors);

}  // namespace
}  // namespace projnce::testing
