#include "projnce/eval/tsne/affinities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "projnce/kernel/map_forces.h"

namespace projnce::eval {
namespace {

std::vector<double> random_squares(int64_t count, double scale) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.5, 3);
  std::vector<double> squares;
  for (int64_t k = 0; k < count; ++k) squares.push_back(scale * uniform(random));
  return squares;
}

std::vector<double> fitted(const std::vector<double>& squares, double perplexity) {
  std::vector<double> weights(squares.size(), -1);
  fit_perplexity(squares.data(), static_cast<int64_t>(squares.size()), perplexity, weights.data());
  return weights;
}

double perplexity_of(const std::vector<double>& weights) {
  double entropy = 0;
  for (const double w : weights) entropy -= w > 0 ? w * std::log(w) : 0;
  return std::exp(entropy);
}

TEST(Perplexity, IsReachedAtAnyScale) {
  for (const double scale : {1e-30, 1e-3, 1.0, 1e30}) {
    const auto squares = random_squares(90, scale);
    for (const double perplexity : {1.01, 1.5, 5.0, 30.0, 80.0, 89.9}) {
      const auto weights = fitted(squares, perplexity);
      EXPECT_NEAR(perplexity_of(weights), perplexity, 1e-6 * perplexity) << scale;
      EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
      EXPECT_EQ(std::max_element(weights.begin(), weights.end()) - weights.begin(),
                std::min_element(squares.begin(), squares.end()) - squares.begin());
    }
  }
}

TEST(Perplexity, EqualDistancesHaveEqualWeights) {
  for (const double square : {0.0, 2.5}) {
    for (const double w : fitted(std::vector<double>(12, square), 4)) EXPECT_EQ(w, 1.0 / 12);
  }
  // Six equal distances cannot reach a perplexity of four, but the others can get weight 0.
  std::vector<double> squares(6, 0.0);
  squares.resize(12, 1.0);
  const auto weights = fitted(squares, 4);
  for (size_t k = 0; k < 12; ++k) EXPECT_NEAR(weights[k], k < 6 ? 1.0 / 6 : 0, 1e-9);
}

TEST(Perplexity, OfOneSelectsTheNearest) {
  const auto weights = fitted({3, 1, 2}, 1);
  EXPECT_NEAR(weights[1], 1, 1e-6);
}

std::vector<float> random_rows(int64_t count, int64_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> rows(static_cast<size_t>(count * dim));
  for (auto& x : rows) x = normal(random);
  return rows;
}

/// Reference: p_ij as a dense matrix, by definition.
std::vector<double> full_affinities(const std::vector<float>& rows, size_t count, size_t dim,
                                    double perplexity) {
  const auto neighbors = static_cast<size_t>(3 * perplexity);
  std::vector<double> p(count * count, 0);
  for (size_t i = 0; i < count; ++i) {
    std::vector<std::pair<double, size_t>> others;
    for (size_t j = 0; j < count; ++j) {
      double square = 0;
      for (size_t k = 0; k < dim; ++k) square += std::pow(rows[i * dim + k] - rows[j * dim + k], 2);
      if (j != i) others.emplace_back(square, j);
    }
    std::sort(others.begin(), others.end());
    std::vector<double> squares;
    for (size_t k = 0; k < neighbors; ++k) squares.push_back(others[k].first);
    const auto weights = fitted(squares, perplexity);
    for (size_t k = 0; k < neighbors; ++k) {
      const double half = weights[k] / 2 / static_cast<double>(count);
      p[i * count + others[k].second] += half;
      p[others[k].second * count + i] += half;
    }
  }
  return p;
}

TEST(Affinities, MatchTheDefinition) {
  constexpr size_t kCount = 120;
  const auto rows = random_rows(kCount, 7, 2);
  const auto wanted = full_affinities(rows, kCount, 7, 9);
  const auto made = make_affinities(rows.data(), kCount, 7, 9);
  ASSERT_EQ(made.points(), static_cast<int64_t>(kCount));
  std::vector<double> got(kCount * kCount, 0);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(made.starts[i] % kernel::kAttractionStep, 0);
    for (auto e = static_cast<size_t>(made.starts[i]); e < static_cast<size_t>(made.starts[i + 1]);
         ++e) {
      got[i * kCount + static_cast<size_t>(made.partners[e])] += made.weights[e];
    }
  }
  EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), 1, 1e-6);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(got[i * kCount + i], 0);
    for (size_t j = 0; j < kCount; ++j) {
      EXPECT_EQ(got[i * kCount + j], got[j * kCount + i]);
      EXPECT_NEAR(got[i * kCount + j], wanted[i * kCount + j],
                  1e-5 * wanted[i * kCount + j] + 1e-9);
    }
  }
}

/// Breaking ties by index would make the first rows the neighbors of all others.
TEST(Affinities, DuplicatesAreNeighborsEquallyOften) {
  constexpr size_t kCount = 120;
  auto rows = random_rows(kCount, 3, 4);
  for (size_t i = 0; i < kCount; i += 4) {
    for (size_t d = 0; d < 3; ++d) rows[3 * i + d] = 50;  // more such rows than neighbors
  }
  const auto made = make_affinities(rows.data(), kCount, 3, 5);
  for (size_t i = 0; i < kCount; i += 4) {
    double sum = 0;
    for (auto e = made.starts[i]; e < made.starts[i + 1]; ++e) {
      if (made.weights[static_cast<size_t>(e)] == 0) continue;
      EXPECT_NE(made.partners[static_cast<size_t>(e)], static_cast<int32_t>(i));
      sum += made.weights[static_cast<size_t>(e)];
    }
    EXPECT_NEAR(sum, 1.0 / kCount, 1e-7);
  }
}

TEST(Affinities, OfEqualRowsAreFinite) {
  const std::vector<float> rows(40 * 3, 0.5F);
  const auto made = make_affinities(rows.data(), 40, 3, 5);
  EXPECT_NEAR(std::accumulate(made.weights.begin(), made.weights.end(), 0.0), 1, 1e-6);
}

}  // namespace
}  // namespace projnce::eval
