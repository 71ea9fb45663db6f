#include "projnce/reproduce/result.h"

#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "tests/support/run_folder.h"
#include "tests/support/scratch_dir.h"

namespace projnce::reproduce {
namespace {

using testing::ScratchDir;
using testing::write_text;

/// Table 4 with two methods and one condition.
class CollectResult : public ::testing::Test {
 protected:
  CollectResult() : experiment_(read_experiment("table4", "laptop")), scale_(read_scale("laptop")) {
    std::erase_if(experiment_.methods, [](const Method& method) {
      return method.name != "simclr" && method.name != "symnce";
    });
    experiment_.conditions.resize(1);
    datasets_ = {PaperDataset{.name = "cifar10",
                              .title = "CIFAR-10 in place of STL10",
                              .column = "stl10",
                              .remarks = {"CIFAR-10: a subset"}}};
  }

  void plan(int64_t seeds) {
    cells_ = plan_cells(experiment_, scale_, datasets_, scratch_.path(), seeds);
  }
  void finish(const std::string& method, int64_t seed, double probe) const {
    write_text(scratch_ / "cifar10" / "clean" / method / concat("seed-", seed) / "summary.json",
               concat(R"({"accuracy": {"reported": 0.25}, "protocols": {"probe": {"top1": )", probe,
                      R"(}}, "seconds": {"total": 20}})"));
  }
  Result collect() const { return collect_result(experiment_, scale_, datasets_, cells_, errors_); }

  ScratchDir scratch_;
  Experiment experiment_;
  Scale scale_;
  std::vector<PaperDataset> datasets_;
  std::vector<Cell> cells_;
  CellErrors errors_;
};

TEST_F(CollectResult, ReadsEveryMeasureOfFinishedRuns) {
  plan(2);
  finish("simclr", 1, 0.5);
  finish("simclr", 2, 0.7);
  const auto result = collect();
  ASSERT_EQ(result.tables.size(), 2u);
  const auto& probe = result.tables[0];
  EXPECT_EQ(probe.measure, "probe");
  EXPECT_EQ(probe.columns[0].title, "CIFAR-10 in place of STL10");
  const auto& cell = probe.cells[0][0];
  EXPECT_DOUBLE_EQ(mean_value(cell), 0.6);
  EXPECT_EQ(cell.runs[1].seed, 2);
  EXPECT_EQ(cell.runs[1].directory, cells_[2].directory);
  EXPECT_DOUBLE_EQ(mean_value(result.tables[1].cells[0][0]), 0.25);
  EXPECT_EQ(result.trained_runs, 2);
  EXPECT_EQ(result.trained_seconds, 40);
}

TEST_F(CollectResult, MeasuresALossByItsOwnClassifier) {
  experiment_.measures = {Measure::kOwn};
  plan(1);
  write_text(cells_[0].directory / "summary.json",
             R"({"accuracy": {"last": 0.5}, "protocols": {"projection": {"top1": 0.75}},
                 "seconds": {"total": 1}})");
  write_text(cells_[1].directory / "summary.json",
             R"({"accuracy": {"last": 0.5}, "protocols": {}, "seconds": {"total": 1}})");
  const auto table = collect().tables[0];
  EXPECT_EQ(mean_value(table.cells[0][0]), 0.75);
  EXPECT_EQ(mean_value(table.cells[1][0]), 0.5);
}

TEST_F(CollectResult, LeavesUntrainedCellsEmpty) {
  plan(1);
  errors_[cells_[0].directory] = "the loss is not finite";
  const auto result = collect();
  EXPECT_TRUE(result.tables[0].cells[0][0].runs.empty());
  EXPECT_EQ(result.tables[0].cells[0][0].absent, "the loss is not finite");
  EXPECT_EQ(result.tables[0].cells[1][0].absent, "not trained yet");
  EXPECT_FALSE(result.tables[0].columns[0].ranking.has_value());
}

TEST_F(CollectResult, SkipsATruncatedSummary) {
  plan(1);
  write_text(cells_[0].directory / "summary.json", "{\"accuracy\": ");
  EXPECT_TRUE(collect().tables[0].cells[0][0].runs.empty());
}

TEST_F(CollectResult, ComparesTheFirstMeasureWithThePaper) {
  plan(1);
  finish("simclr", 1, 0.3);
  finish("symnce", 1, 0.2);
  const auto result = collect();
  const auto& probe = result.tables[0];
  EXPECT_DOUBLE_EQ(*probe.cells[0][0].paper(), 0.744);
  EXPECT_EQ(result.tables[1].cells[0][0].published, std::nullopt);
  ASSERT_TRUE(probe.columns[0].ranking);
  EXPECT_EQ(probe.columns[0].ranking->kendall, 1);
  EXPECT_EQ(probe.columns[0].ranking->methods, 2);
}

TEST_F(CollectResult, ComparesAStandInOnlyByRank) {
  datasets_[0].stand_in = true;
  plan(1);
  finish("simclr", 1, 0.3);
  finish("symnce", 1, 0.2);
  const auto result = collect();
  const auto& probe = result.tables[0];
  EXPECT_EQ(probe.cells[0][0].paper(), std::nullopt);
  EXPECT_DOUBLE_EQ(*probe.cells[0][0].published, 0.744);
  ASSERT_TRUE(probe.columns[0].ranking);
  EXPECT_EQ(probe.columns[0].ranking->kendall, 1);
}

TEST_F(CollectResult, RemarksOnAbsentDatasetsAndSubsets) {
  datasets_.push_back({.name = "stl10", .title = "STL10", .column = "stl10", .absent = "no STL10"});
  plan(1);
  const auto result = collect();
  EXPECT_EQ(result.tables[0].cells[0][1].absent, "no STL10");
  const auto has = [&](const std::string& remark) {
    return std::find(result.remarks.begin(), result.remarks.end(), remark) != result.remarks.end();
  };
  EXPECT_TRUE(has("no STL10"));
  EXPECT_TRUE(has("CIFAR-10: a subset"));
}

}  // namespace
}  // namespace projnce::reproduce
