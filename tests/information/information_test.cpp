#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "projnce/information/entropy.h"
#include "projnce/information/mixed_ksg.h"
#include "tests/support/batches.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace information;

using ::testing::HasSubstr;

double digamma(int64_t n) {
  double sum = -std::numbers::egamma;
  for (int64_t m = 1; m < n; ++m) sum += 1.0 / static_cast<double>(m);
  return sum;
}

/// Unit rows whose class accounts for `energy` of them.
torch::Tensor class_rows(const torch::Tensor& labels, int64_t dim, double energy, uint64_t seed) {
  const auto centers = random_unit_rows(labels.max().item<int64_t>() + 1, dim, seed);
  const auto noise = random_unit_rows(labels.size(0), dim, seed + 1);
  const auto rows =
      std::sqrt(energy) * centers.index_select(0, labels) + std::sqrt(1 - energy) * noise;
  return rows / rows.norm(2, 1, true);
}

TEST(Entropy, IsThatOfTheHistogram) {
  EXPECT_NEAR(label_entropy(torch::tensor({3, 3, -1, -1})), std::log(2.0), 1e-15);
  const auto one = label_entropy(torch::tensor({7, 7}));
  EXPECT_EQ(one, 0);
  EXPECT_FALSE(std::signbit(one));
  EXPECT_THAT(error_message_of([] { label_entropy(torch::zeros({0}, torch::kInt64)); }),
              HasSubstr("at least one"));
}

/// The definition with all distances in full, sorted.
double naive_mixed_ksg(const torch::Tensor& x, const torch::Tensor& y, int64_t k) {
  const auto dx = (x.unsqueeze(0) - x.unsqueeze(1)).abs().amax(2);
  const auto dy = (y.unsqueeze(0) - y.unsqueeze(1)).abs().amax(2);
  const auto d = torch::max(dx, dy);
  const auto count = x.size(0);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    auto others = d[i].clone();
    others[i] = std::numeric_limits<double>::infinity();
    const auto rho = std::get<0>(others.sort())[k - 1].item<double>();
    const auto near = [&](const torch::Tensor& distances) {
      return (rho > 0 ? distances[i] < rho : distances[i] <= 1e-15).sum().item<int64_t>();
    };
    sum += digamma(rho > 0 ? k : near(d)) - digamma(near(dx)) - digamma(near(dy));
  }
  return sum / static_cast<double>(count) + std::log(static_cast<double>(count));
}

TEST(MixedKsg, MatchesTheDefinition) {
  const auto labels = random_labels(60, 4, 3);
  const auto rows = random_unit_rows(60, 5, 2);
  const auto coarse = (rows * 2).round();  // many ties
  for (const int64_t k : {1, 3, 10, 59}) {
    for (const auto& x : {rows, coarse, rows * 20}) {
      const auto y = labels.to(torch::kFloat64).unsqueeze(1);
      EXPECT_NEAR(mixed_ksg(x, y, k), naive_mixed_ksg(x, y, k), 1e-12);
      EXPECT_NEAR(mixed_ksg(x, rows.narrow(1, 0, 2), k),
                  naive_mixed_ksg(x, rows.narrow(1, 0, 2), k), 1e-12);
    }
  }
}

TEST(MixedKsg, MatchesTheDefinitionForManyRowsInClasses) {
  const auto labels = random_labels(330, 3, 7);
  const auto one_hot = torch::one_hot(labels, 3).to(torch::kFloat64);
  const auto x = class_rows(labels, 24, 0.4, 5);
  auto repeated = x.clone();
  repeated.narrow(0, 165, 165).copy_(x.narrow(0, 0, 165));  // rho = 0 where labels agree, k = 1
  for (const int64_t k : {1, 5, 150}) {
    for (const auto& rows :
         {x, repeated, (x * 8).round() / 10, x.to(torch::kFloat32).to(x.dtype())}) {
      EXPECT_NEAR(mixed_ksg(rows, one_hot, k), naive_mixed_ksg(rows, one_hot, k), 1e-12);
      EXPECT_NEAR(mixed_ksg(rows, one_hot * 0.3, k), naive_mixed_ksg(rows, one_hot * 0.3, k),
                  1e-12);
    }
  }
}

TEST(MixedKsg, SaturatesForSeparatedClasses) {
  const auto y = torch::arange(1000).remainder(10);
  const auto x = class_rows(y, 16, 0.99, 4);
  const auto expected = std::log(1000.0) - digamma(100);
  EXPECT_NEAR(label_information(x, y), expected, 1e-10);
  EXPECT_NEAR(expected, 2.3076, 1e-4);
}

TEST(MixedKsg, FindsNoInformationInRandomLabels) {
  const auto labels = random_labels(500, 3, 9);
  EXPECT_NEAR(label_information(random_unit_rows(500, 3, 6), labels), 0, 0.1);
}

TEST(MixedKsg, OfEqualPointsIsLogNLessDigamma) {
  const auto x = torch::ones({6, 2}, torch::kFloat64);
  EXPECT_NEAR(mixed_ksg(x, x, 2), std::log(6.0) - digamma(6), 1e-13);
}

TEST(MixedKsg, OneHotLabelsForgetTheOrderOfClasses) {
  const auto y = torch::tensor({0, 1, 2}).repeat({40});
  const auto x = class_rows(y, 2, 0.5, 8) * 10;
  const auto renamed = torch::tensor({0, 500, 1}).index_select(0, y);
  const LabelInformationOptions one_hot{.k = 3, .label_scale = 4};
  EXPECT_EQ(label_information(x, y, one_hot), label_information(x, renamed, one_hot));
  const LabelInformationOptions numbers{.k = 3, .one_hot = false};
  EXPECT_NE(label_information(x, y, numbers), label_information(x, renamed, numbers));
}

TEST(MixedKsg, RejectsClassesThatAreSmallerThanTheirNeighborhoods) {
  const auto labels = torch::arange(50).remainder(10);  // five of each class
  const auto rows = random_unit_rows(50, 8, 3);
  EXPECT_THAT(error_message_of([&] { label_information(rows, labels, {.k = 5}); }),
              HasSubstr("the smallest class has 5 rows, expected more than k = 5"));
  EXPECT_NO_THROW(label_information(rows, labels, {.k = 4}));
}

TEST(MixedKsg, FindsNoInformationInSmallRandomClassesOfAnyDimension) {
  for (const int64_t dimensions : {2, 3, 8, 128}) {
    double sum = 0;
    constexpr int kDraws = 10;
    for (int seed = 0; seed < kDraws; ++seed) {
      const auto rows = random_unit_rows(60, dimensions, 100 + seed);
      const auto labels = torch::arange(60).remainder(10);
      sum += label_information(rows, labels, {.label_scale = fitting_label_scale(rows)});
    }
    EXPECT_NEAR(sum / kDraws, 0, 0.06) << dimensions << " dimensions, of " << std::log(10.0);
  }
}

TEST(MixedKsg, RejectsInvalidInput) {
  auto x = random_unit_rows(5, 2, 1);
  EXPECT_THAT(error_message_of([&] { mixed_ksg(x, x, 5); }),
              HasSubstr("k = 5 must be between 1 and 4"));
  EXPECT_THAT(error_message_of([&] { mixed_ksg(x, x, 0); }), HasSubstr("k = 0"));
  EXPECT_THAT(error_message_of([&] { mixed_ksg(x, x.narrow(0, 0, 4), 2); }),
              HasSubstr("5 rows and y has 4"));
  EXPECT_THAT(
      error_message_of([&] { label_information(x, torch::arange(5), {.k = 2, .label_scale = 0}); }),
      HasSubstr("label_scale"));
  x[2][1] = std::nan("");
  EXPECT_THAT(error_message_of([&] { mixed_ksg(x, x, 2); }), HasSubstr("not finite"));
}

}  // namespace
}  // namespace projnce::testing
