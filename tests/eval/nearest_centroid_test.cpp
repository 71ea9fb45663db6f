#include "projnce/eval/nearest_centroid.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "projnce/eval/accuracy.h"

namespace projnce::eval {
namespace {

using nlohmann::json;

torch::Tensor matrix(const json& rows) {
  std::vector<double> flat;
  for (const auto& row : rows) {
    for (const auto& value : row)
      flat.push_back(value.is_null() ? std::nan("") : value.get<double>());
  }
  return torch::tensor(flat, torch::kDouble).reshape({int64_t(rows.size()), -1});
}

torch::Tensor integers(const json& values) {
  return torch::tensor(values.get<std::vector<int64_t>>(), torch::kLong);
}

TEST(NearestCentroid, MatchesTheGoldenCases) {
  std::ifstream file("golden/nearest_centroid.json");
  const auto golden = json::parse(file);
  ASSERT_EQ(golden["cases"].size(), 4U);
  for (const auto& test : golden["cases"]) {
    SCOPED_TRACE(test["id"].get<std::string>());
    const auto& in = test["inputs"];
    const auto centroids =
        class_centroids(matrix(in["z_train"]), integers(in["y_train"]),
                        test["params"]["num_classes"], test["params"]["normalize_train"]);
    const auto scores = cosine_scores(matrix(in["z_test"]), centroids);
    const auto expected = matrix(test["expected"]["scores"]);  // null: a class without rows
    const auto filled = expected.masked_fill(expected.isnan(), -INFINITY);
    EXPECT_TRUE(torch::allclose(scores, filled, 1e-9, 1e-12));
    EXPECT_TRUE(torch::equal(predict_class(scores), integers(test["expected"]["pred"])));
    EXPECT_NEAR(measure_accuracy(scores, integers(in["y_test"])).top1,
                test["expected"]["accuracy"].get<double>(), 1e-12);
  }
}

TEST(NearestCentroid, NeverPredictsAClassWithoutRows) {
  const auto centroids = class_centroids(torch::tensor({{1.0, 0.0}}), torch::tensor({1}), 2);
  const auto scores = cosine_scores(torch::tensor({{-1.0, 0.0}}), centroids);
  EXPECT_EQ(predict_class(scores).item<int64_t>(), 1);
}

}  // namespace
}  // namespace projnce::eval
