#include "projnce/report/page/run_data.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using nlohmann::ordered_json;

class MetricCurvesTest : public ::testing::Test {
 protected:
  ordered_json curves_of(const std::string& text) {
    std::ofstream(scratch_ / "metrics.jsonl") << text;
    return metric_curves(scratch_ / "metrics.jsonl");
  }
  testing::ScratchDir scratch_;
};

TEST_F(MetricCurvesTest, LinesBecomeColumnsOfEqualLength) {
  const auto curves = curves_of(
      R"({"step":0,"epoch":0,"split":"train","name":"step","value":{"loss":5.0}})"
      "\n"
      R"({"step":10,"epoch":0,"split":"train","name":"step","value":{"loss":4.0,"R":0.5}})"
      "\n"
      R"({"step":20,"epoch":0,"split":"train","name":"epoch","value":{"loss":4.5}})"
      "\n"
      R"({"step":30,"epoch":1,"split":"train","name":"step","value":{"loss":null}})"
      "\n");
  EXPECT_EQ(curves["steps"]["loss"], (ordered_json{5.0, 4.0, nullptr}));
  EXPECT_EQ(curves["steps"]["R"], (ordered_json{nullptr, 0.5, nullptr}));
  EXPECT_EQ(curves["steps"]["epoch"], (ordered_json{0.0, 0.5, 1.5})) << "twenty steps per epoch";
  EXPECT_EQ(curves["epochs"]["epoch"], (ordered_json{1.0})) << "starts at one";
}

TEST_F(MetricCurvesTest, EvaluationsAreGroupedByProtocolWithInterval) {
  const auto curves = curves_of(
      R"({"step":5,"epoch":0,"split":"test","name":"knn","value":{"top1":0.5,"top1_interval":[0.4,0.6]}})"
      "\n");
  EXPECT_EQ(curves["tests"]["knn"]["low"], (ordered_json{0.4}));
  EXPECT_EQ(curves["tests"]["knn"]["high"], (ordered_json{0.6}));
  EXPECT_FALSE(curves["tests"]["knn"].contains("top1_interval"));
}

TEST_F(MetricCurvesTest, FormerProtocolNamesContinueTheCurve) {
  const auto curves = curves_of(
      R"({"step":5,"epoch":0,"split":"test","name":"zero-shot","value":{"top1":0.25}})"
      "\n"
      R"({"step":9,"epoch":1,"split":"test","name":"nearest-centroid","value":{"top1":0.5}})"
      "\n");
  EXPECT_EQ(curves["tests"].size(), 1U);
  EXPECT_EQ(curves["tests"]["nearest-centroid"]["top1"], (ordered_json{0.25, 0.5}));
}

TEST_F(MetricCurvesTest, SpikesAndSkippedStepsAreEvents) {
  const auto curves =
      curves_of(R"({"step":4,"epoch":0,"split":"train","name":"spike","value":{"loss":99.0}})"
                "\n"
                R"({"step":8,"epoch":0,"split":"train","name":"passed_over","value":{"steps":1}})"
                "\n");
  ASSERT_EQ(curves["events"].size(), 2U);
  EXPECT_EQ(curves["events"][0]["loss"], 99.0);
  EXPECT_EQ(curves["events"][1]["name"], "skipped_step") << "former name";
  EXPECT_TRUE(curves["events"][1]["loss"].is_null());
}

TEST_F(MetricCurvesTest, SkipsInvalidLines) {
  const auto curves = curves_of(
      "not json\n"
      R"({"step":1})"
      "\n"
      R"({"step":"x","epoch":0,"split":"train","name":"step","value":{}})"
      "\n"
      R"({"step":2,"epoch":0,"split":"train","name":"step","value":3})"
      "\n"
      R"({"step":3,"epoch":0,"split":"train","name":"step","value":{"loss":1.0}})"
      "\n"
      R"({"step":4,"epoch":0,"split":"tra)");
  EXPECT_EQ(curves["steps"]["step"], (ordered_json{3}));
}

TEST_F(MetricCurvesTest, MissingFileHasNoLines) {
  const auto curves = metric_curves(scratch_ / "nowhere");
  EXPECT_TRUE(curves["steps"].empty());
  EXPECT_TRUE(curves["events"].empty());
}

}  // namespace
}  // namespace projnce::report
