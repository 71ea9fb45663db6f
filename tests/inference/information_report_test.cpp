#include "projnce/inference/information_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

#include "projnce/core/logging.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/results_json.h"
#include "tests/support/scratch_dir.h"

namespace projnce::inference {
namespace {

using ::testing::HasSubstr;

/// Points around (1, 0) for label 0 and around (0, 1) for label 1.
torch::Tensor separated_rows(const torch::Tensor& labels) {
  torch::manual_seed(1);
  return torch::one_hot(labels, 2).to(torch::kFloat32) + 0.05 * torch::randn({labels.size(0), 2});
}

TEST(InformationOfArrays, MeasuresSeparatedClasses) {
  const testing::ScratchDir dir;
  const auto labels = torch::arange(80) % 2;
  write_array(dir / "rows.npy", separated_rows(labels));
  write_array(dir / "labels.npy", labels);
  const auto result = information_of_arrays(
      {.embeddings = dir / "rows.npy", .labels = dir / "labels.npy", .folds = 4}, make_logger());
  const auto& report = result.report;
  EXPECT_EQ(result.folds, 4);
  EXPECT_EQ(result.priors, "estimated");
  EXPECT_EQ(report.samples, 80);
  EXPECT_EQ(report.dimensions, 2);
  EXPECT_EQ(report.classes, 2);
  EXPECT_EQ(report.bounds.rows, 80);
  EXPECT_NEAR(report.label_entropy, std::log(2.0), 1e-6);
  EXPECT_EQ(report.withheld, "");
  ASSERT_TRUE(report.ksg);
  EXPECT_NEAR(report.ksg->value, report.label_entropy, 0.1);
  const auto json = information_json(report);
  EXPECT_EQ(json.at("share"), report.ksg->value / report.label_entropy);
  EXPECT_TRUE(json.at("withheld").is_null());
}

TEST(MeasureInformation, WithholdsTheEstimateIfAClassIsTooSmall) {
  const auto labels =
      torch::cat({torch::zeros({20}, torch::kInt64), torch::ones({3}, torch::kInt64)});
  const auto report = measure_information(separated_rows(labels), labels, {}, {.neighbors = 5});
  EXPECT_FALSE(report.ksg);
  EXPECT_THAT(report.withheld, HasSubstr("3 samples"));
  EXPECT_EQ(report.neighbors, 5);
  const auto json = information_json(report);
  for (const auto* key : {"mixed_ksg", "interval", "share"}) EXPECT_TRUE(json.at(key).is_null());
  EXPECT_EQ(json.at("withheld"), report.withheld);
}

TEST(ShortText, MarksBoundsThatAreNotInformative) {
  eval::InformationBounds bounds{.by_class = eval::BoundEstimate{1.234, 0.012}};
  EXPECT_EQ(short_text(bounds), "I(Z;C) >= 1.23 ± 0.01 nats");
  bounds.by_class_fitted = eval::BoundEstimate{-0.2, {}};
  EXPECT_EQ(short_text(bounds), "I(Z;C) >= -0.20 nats (not informative)");
}

}  // namespace
}  // namespace projnce::inference
