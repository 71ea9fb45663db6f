#include "projnce/eval/retrieval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>

#include "tests/support/batches.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace eval;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

torch::Tensor on_a_circle(const std::vector<double>& degrees) {
  const auto angles = torch::tensor(degrees, torch::kFloat64) * (M_PI / 180);
  return torch::stack({angles.cos(), angles.sin()}, 1);
}

/// Reference: MAP@R and R-precision by definition, one query at a time.
std::pair<double, double> by_definition(const torch::Tensor& rows, const torch::Tensor& labels) {
  const auto scores = rows.mm(rows.t());
  double map = 0;
  double precision = 0;
  int64_t queries = 0;
  for (int64_t q = 0; q < rows.size(0); ++q) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < rows.size(0); ++i) {
      if (i != q) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return scores[q][a].item<double>() > scores[q][b].item<double>();
    });
    const auto same = [&](int64_t i) { return labels[i].equal(labels[q]); };
    const auto wanted = std::count_if(order.begin(), order.end(), same);
    if (wanted == 0) continue;
    double hits = 0;
    double sum = 0;
    for (int64_t r = 0; r < wanted; ++r) {
      if (!same(order[r])) continue;
      hits += 1;
      sum += hits / double(r + 1);
    }
    map += sum / double(wanted);
    precision += hits / double(wanted);
    ++queries;
  }
  return {map / double(queries), precision / double(queries)};
}

TEST(Retrieval, MatchesTheDefinitions) {
  const auto labels = torch::arange(60).remainder(7);  // of uneven sizes
  const auto rows = random_unit_rows(60, 4, 2);
  const auto found = measure_retrieval(rows, labels);
  const auto [map, precision] = by_definition(rows, labels);
  EXPECT_NEAR(found.map_at_r, map, 1e-12);
  EXPECT_NEAR(found.r_precision, precision, 1e-12);
  EXPECT_EQ(found.queries, 60);
}

TEST(Retrieval, RecallCountsQueriesWithAHit) {
  // 0 and 10 find each other; 20's nearest are 10, then 30 of its class.
  const auto rows = on_a_circle({0, 10, 21, 33, 100});
  const auto labels = torch::tensor({0, 0, 1, 1, 2}, torch::kInt64);
  const auto found = measure_retrieval(rows, labels);
  EXPECT_THAT(found.ranks, ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(found.queries, 4) << "the only sample of a class has no relevant reference";
  EXPECT_DOUBLE_EQ(found.recall[0], 3.0 / 4);
  EXPECT_DOUBLE_EQ(found.recall[1], 1);
  EXPECT_DOUBLE_EQ(found.r_precision, 3.0 / 4);
}

TEST(Retrieval, ExcludesTheQueryDespiteDuplicates) {
  const auto rows = torch::ones({6, 3}, torch::kFloat64);
  const auto found = measure_retrieval(rows, torch::zeros({6}, torch::kInt64));
  EXPECT_DOUBLE_EQ(found.map_at_r, 1);
  EXPECT_DOUBLE_EQ(found.recall[0], 1);
}

TEST(Retrieval, SupportsSeparateReferences) {
  const auto references = on_a_circle({0, 5, 90});
  const auto labels = torch::tensor({0, 1, 1}, torch::kInt64);
  const auto found = measure_retrieval(on_a_circle({1, 80, 0}),
                                       torch::tensor({1, 1, 9}, torch::kInt64), references, labels);
  EXPECT_EQ(found.queries, 2) << "no reference has label 9";
  EXPECT_DOUBLE_EQ(found.recall[0], 0.5);
  // The first query has 1 of 2 hits, at rank 2; the second has both.
  EXPECT_DOUBLE_EQ(found.map_at_r, (0.25 + 1) / 2);
}

TEST(KMeans, FindsSeparatedClusters) {
  const auto labels = torch::arange(200).remainder(4);
  const auto rows = torch::one_hot(labels, 8).to(torch::kFloat64) * 5 + random_unit_rows(200, 8, 3);
  const auto found = k_means(rows, 4);
  EXPECT_NEAR(normalized_information(found, labels), 1, 1e-12);
  EXPECT_TRUE(found.equal(k_means(rows, 4))) << "deterministic";
}

TEST(KMeans, SupportsEqualPointsAndRejectsTooManyClusters) {
  const auto rows = torch::ones({5, 2});
  EXPECT_EQ(k_means(rows, 3).size(0), 5);
  EXPECT_THAT(error_message_of([&] { k_means(rows, 6); }), HasSubstr("6 clusters of 5 rows"));
}

TEST(NormalizedInformation, MatchesScikitLearn) {
  const auto a = torch::tensor({0, 0, 1, 1}, torch::kInt64);
  EXPECT_NEAR(normalized_information(a, torch::tensor({7, 7, 3, 3}, torch::kInt64)), 1, 1e-12);
  EXPECT_NEAR(normalized_information(a, torch::tensor({0, 1, 0, 1}, torch::kInt64)), 0, 1e-12);
  // scikit-learn 1.2.1: normalized_mutual_info_score([0,0,1,1], [0,0,0,1]) = 0.34371101848545077
  EXPECT_NEAR(normalized_information(a, torch::tensor({0, 0, 0, 1}, torch::kInt64)),
              0.34371101848545077, 1e-12);
  EXPECT_EQ(normalized_information(torch::zeros_like(a), torch::zeros_like(a)), 1);
}

}  // namespace
}  // namespace projnce::testing
