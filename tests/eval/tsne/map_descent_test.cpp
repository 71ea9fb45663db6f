#include "projnce/eval/tsne/map_descent.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/error_message.h"

namespace projnce::eval {
namespace {

std::vector<float> normal_numbers(int64_t count, unsigned seed, float scale) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<size_t>(count));
  for (auto& x : numbers) x = scale * normal(random);
  return numbers;
}

/// `count` rows in four clusters.
Affinities four_clusters(int64_t count) {
  auto rows = normal_numbers(count * 6, 1, 1);
  for (int64_t i = 0; i < count; ++i) rows[static_cast<size_t>(6 * i + i % 4)] += 8;
  return make_affinities(rows.data(), count, 6, 8);
}

TEST(MapDescent, GradientMatchesTheDivergence) {
  const auto affinities = four_clusters(30);
  const auto positions = normal_numbers(60, 2, 2);
  const auto slopes = MapDescent(affinities, positions, 0).gradient(1);
  constexpr float kStep = 0.02F;
  double squares = 0, errors = 0;
  for (size_t i = 0; i < positions.size(); ++i) {
    auto above = positions, below = positions;
    above[i] += kStep;
    below[i] -= kStep;
    const double rise = MapDescent(affinities, above, 0).divergence() -
                        MapDescent(affinities, below, 0).divergence();
    const double wanted = rise / (static_cast<double>(above[i]) - below[i]);
    squares += wanted * wanted;
    errors += (slopes[i] - wanted) * (slopes[i] - wanted);
  }
  EXPECT_LT(std::sqrt(errors / squares), 1e-3);
}

TEST(MapDescent, ExaggerationScalesTheAttraction) {
  const auto affinities = four_clusters(40);
  MapDescent descent(affinities, normal_numbers(80, 3, 2), 0);
  const auto one = descent.gradient(1), two = descent.gradient(2), three = descent.gradient(3);
  double pull = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(three[i] - two[i], two[i] - one[i], 1e-6);
    pull += std::abs(two[i] - one[i]);
  }
  EXPECT_GT(pull, 0.01);
}

TEST(MapDescent, IsBitIdenticalForAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  const auto affinities = four_clusters(700);
  std::vector<std::vector<float>> maps;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    maps.push_back(fit_map(affinities, normal_numbers(1400, 4, 1e-4F),
                           {.iterations = 60, .exaggeration_iterations = 30})
                       .positions);
  }
  omp_set_num_threads(before);
  EXPECT_EQ(maps[0], maps[1]);
  EXPECT_EQ(maps[0], maps[2]);
}

TEST(FitMap, DecreasesTheDivergence) {
  const auto affinities = four_clusters(400);
  std::vector<double> divergences;
  const auto map = fit_map(affinities, normal_numbers(800, 5, 1e-4F), {.iterations = 500},
                           [&](const TsneState& state) {
                             EXPECT_EQ(state.total, 500);
                             if (state.divergence) divergences.push_back(*state.divergence);
                             return true;
                           });
  ASSERT_EQ(divergences.size(), 10U);  // every 50
  EXPECT_EQ(divergences.back(), map.divergence);
  EXPECT_EQ(map.iterations, 500);
  for (size_t i = 6; i < divergences.size(); ++i) {  // without exaggeration
    EXPECT_LT(divergences[i], divergences[i - 1] + 1e-3);
  }
  EXPECT_LT(divergences.back(), divergences[0] - 0.5);
}

TEST(FitMap, BarnesHutIsAsGoodAsExact) {
  const auto affinities = four_clusters(500);
  const auto start = normal_numbers(1000, 6, 1e-4F);
  const auto exact =
      fit_map(affinities, start, {.iterations = 400, .learning_rate = 50, .theta = 0});
  const auto tree = fit_map(affinities, start, {.iterations = 400, .learning_rate = 50});
  EXPECT_NEAR(tree.divergence, exact.divergence, 0.03 * exact.divergence);
  // Its own estimate of the divergence is close to the exact one.
  MapDescent reference(affinities, tree.positions, 0);
  EXPECT_NEAR(reference.divergence(), tree.divergence, 0.01);
}

/// Standard deviation of the shorter of the two axes.
double smaller_spread(const std::vector<float>& positions) {
  double xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < positions.size(); i += 2) {
    xx += static_cast<double>(positions[i]) * positions[i];
    xy += static_cast<double>(positions[i]) * positions[i + 1];
    yy += static_cast<double>(positions[i + 1]) * positions[i + 1];
  }
  const double square = (xx + yy) / 2 - std::hypot((xx - yy) / 2, xy);
  return std::sqrt(std::max(0.0, square) / (static_cast<double>(positions.size()) / 2));
}

TEST(FitMap, ExaggerationThatContractsTheMapEndsEarly) {
  const auto rows = normal_numbers(600 * 16, 10, 1);
  const auto affinities = make_affinities(rows.data(), 600, 16, 15);
  const auto start = normal_numbers(1200, 11, 1e-4F);
  const auto spread_after = [&](int64_t iterations) {
    const TsneOptions options{.iterations = iterations, .learning_rate = 12};
    return smaller_spread(fit_map(affinities, start, options).positions);
  };
  EXPECT_LT(spread_after(15), 0.2 * smaller_spread(start));
  EXPECT_GT(spread_after(120), 1);
}

TEST(FitMap, OneContractingDirectionDoesNotVanish) {
  auto rows = normal_numbers(400 * 16, 12, 1);
  std::vector<float> start(800);
  for (size_t i = 0; i < 400; ++i) {
    rows[16 * i] += i % 2 == 0 ? 10.0F : -10.0F;  // two clusters, left and right of each other
    start[2 * i] = i % 2 == 0 ? 1e-4F : -1e-4F;
    start[2 * i + 1] = i / 2 % 2 == 0 ? 1e-4F : -1e-4F;
  }
  const auto affinities = make_affinities(rows.data(), 400, 16, 20);
  const auto exaggerated = fit_map(affinities, start, {.iterations = 250, .learning_rate = 8});
  EXPECT_GT(smaller_spread(exaggerated.positions), 9e-6);
  const auto map = fit_map(affinities, start, {.iterations = 500, .learning_rate = 8});
  EXPECT_GT(smaller_spread(map.positions), 1);
}

TEST(FitMap, StopsIfProgressReturnsFalse) {
  const auto affinities = four_clusters(60);
  const auto start = normal_numbers(120, 7, 1e-4F);
  const auto cut = fit_map(affinities, start, {.iterations = 100},
                           [](const TsneState& state) { return state.iteration < 7; });
  EXPECT_EQ(cut.iterations, 7);
  const auto whole = fit_map(affinities, start, {.iterations = 7});
  EXPECT_EQ(cut.positions, whole.positions);
  EXPECT_EQ(cut.divergence, whole.divergence);
}

TEST(FitMap, WithoutIterationsReturnsTheStart) {
  const auto affinities = four_clusters(60);
  const auto start = normal_numbers(120, 8, 1);
  EXPECT_EQ(fit_map(affinities, start, {.iterations = 0}).positions, start);
}

TEST(FitMap, ThrowsIfTheLearningRateIsTooLarge) {
  const auto affinities = four_clusters(60);
  const auto message = testing::error_message_of(
      [&] { fit_map(affinities, normal_numbers(120, 9, 1e-4F), {.learning_rate = 1e12}); });
  EXPECT_EQ(message, "t-SNE diverged use a smaller learning rate");
}

}  // namespace
}  // namespace projnce::eval
