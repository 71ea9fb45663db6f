#include "projnce/inference/protocol_result.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "projnce/eval/nearest_centroid.h"
#include "projnce/inference/results_json.h"

namespace projnce::inference {
namespace {

/// Three classes along the coordinate axes; the third has no training samples.
EvalInputs two_of_three_classes() {
  const auto axes = torch::eye(3);
  const auto labels = torch::tensor({0, 0, 1, 1}, torch::kInt64);
  const auto rows = axes.index_select(0, labels);
  EvalInputs samples;
  samples.reference = {.embeddings = rows, .features = rows, .labels = labels, .indices = {}};
  samples.test = samples.reference;
  samples.num_classes = 3;
  samples.class_vectors = eval::class_centroids(rows, labels, 3);
  // The vector of the class without samples is closest to all rows.
  samples.learned_vectors = torch::tensor({{0.1, 0.0, 1.0}, {0.0, 0.1, 1.0}, {1.0, 1.0, 0.0}});
  return samples;
}

TEST(EvaluateProtocol, ProjectionNeverPredictsAClassWithoutSamples) {
  const auto result = evaluate_protocol(two_of_three_classes(), eval::Protocol::kProjection, {});
  EXPECT_EQ(result.accuracy.confusion,
            (std::vector<std::vector<int64_t>>{{2, 0, 0}, {0, 2, 0}, {0, 0, 0}}));
}

TEST(EvaluateProtocol, IntervalsOfFewSamplesAreWide) {
  const auto result =
      evaluate_protocol(two_of_three_classes(), eval::Protocol::kNearestCentroid, {});
  EXPECT_EQ(result.accuracy.top1, 1);
  EXPECT_NEAR(result.interval.low, 0.3976, 1e-4);  // 0.025^(1/4)
  EXPECT_EQ(result.interval.high, 1);
}

TEST(EvaluateProtocol, CosinesHaveNoCalibrationError) {
  const auto samples = two_of_three_classes();
  for (const auto protocol : {eval::Protocol::kNearestCentroid, eval::Protocol::kProjection}) {
    EXPECT_FALSE(
        brief_json(evaluate_protocol(samples, protocol, {})).contains("calibration_error"));
  }
  for (const auto protocol : {eval::Protocol::kKnn, eval::Protocol::kProbe}) {
    const auto result = evaluate_protocol(samples, protocol, {.neighbors = 0});
    EXPECT_TRUE(brief_json(result).contains("calibration_error"));
  }
}

TEST(EvaluateProtocol, ReportsSamplesAndIntervalsPerClass) {
  const auto json =
      full_json(evaluate_protocol(two_of_three_classes(), eval::Protocol::kNearestCentroid, {}),
                {"a", "b", "none"});
  EXPECT_EQ(json["classes"][0]["samples"], 2);
  EXPECT_NEAR(json["classes"][0]["top1_interval"][0].get<double>(), 0.1581, 1e-4);
  EXPECT_EQ(json["classes"][2]["samples"], 0);
  EXPECT_TRUE(json["classes"][2]["top1"].is_null());
  EXPECT_TRUE(json["classes"][2]["top1_interval"].is_null());
}

}  // namespace
}  // namespace projnce::inference
