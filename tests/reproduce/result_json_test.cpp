#include "projnce/reproduce/result_formats.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/reproduce/made_result.h"

namespace projnce::reproduce {
namespace {

using nlohmann::json;
using testing::made_result;

json plain_json(const Result& result) {
  return json::parse(result_json(result).dump());
}

TEST(ResultJson, DescribesTheResult) {
  auto result = plain_json(made_result());
  EXPECT_EQ(result.at("tables").size(), 1U);
  result.erase("tables");
  EXPECT_EQ(result, json::parse(R"({
    "name": "table4", "title": "Wrong labels", "question": "Which loss keeps its accuracy?",
    "scale": "laptop", "recipe": "a small encoder,\n20 epochs", "source": "arXiv:2506.09810",
    "command": "projnce reproduce table4 --scale laptop", "axis": "", "trained_runs": 9,
    "trained_seconds": 7800.0, "remarks": ["See `projnce reproduce --help`; 3 < 5 * 2."],
    "images": [{"file": "table4-a.svg", "title": "A [map]"}]})"));
}

TEST(ResultJson, TablesHaveColumnsRowsAndCells) {
  auto result = made_result();
  result.tables.front().rows[2].series = "l1";
  result.tables.front().rows[2].x = 0.5;
  const auto table = plain_json(result).at("tables").at(0);
  EXPECT_EQ(table.at("measure"), "centroid");
  EXPECT_EQ(table.at("title"), "Accuracy by nearest centroid");
  EXPECT_EQ(table.at("unit"), "share");
  EXPECT_EQ(table.at("columns").at(1), json::parse(R"({"dataset": "cifar10", "condition": "clean",
    "title": "CIFAR-10", "ranking": null})"));
  EXPECT_EQ(table.at("columns").at(0).at("ranking").at("methods"), 3);
  EXPECT_DOUBLE_EQ(table.at("columns").at(0).at("ranking").at("kendall"), -1.0 / 3);
  EXPECT_EQ(table.at("rows").at(1).at("title"), "<b>|x");
  EXPECT_EQ(table.at("rows").at(2), json::parse(R"({"method": "projnce", "title": "ProjNCE",
    "series": "l1", "x": 0.5})"));
}

TEST(ResultJson, CellsListRunsAndReasonsForMissingOnes) {
  const auto cells = plain_json(made_result()).at("tables").at(0).at("cells");
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells.at(0).at(1), json::parse(R"({"mean": 0.5, "deviation": null, "paper": null,
    "difference": null, "absent": "",
    "runs": [{"seed": 1, "value": 0.5, "directory": "runs/c/s/seed-1"}]})"));
  EXPECT_EQ(cells.at(1).at(1), json::parse(R"({"mean": null, "deviation": null, "paper": 0.91,
    "difference": null, "absent": "CIFAR-10 is not here", "runs": []})"));
  EXPECT_EQ(cells.at(1).at(0).at("absent"), "the disk was full");
  EXPECT_NEAR(cells.at(0).at(0).at("deviation"), 0.004, 1e-9);
  EXPECT_NEAR(cells.at(0).at(0).at("difference"), -0.375, 1e-9);
}

TEST(ResultJson, WritesNanAsNullAndEscapesPaths) {
  auto result = made_result();
  auto& run = result.tables.front().cells[0][1].runs.front();
  run.value = std::numeric_limits<double>::quiet_NaN();
  run.directory = "runs/\xFF";
  const auto cell = plain_json(result).at("tables").at(0).at("cells").at(0).at(1);
  EXPECT_TRUE(cell.at("mean").is_null());
  EXPECT_EQ(cell.at("runs").at(0),
            json::parse(R"({"seed": 1, "value": null, "directory": "runs/\\xFF"})"));
}

}  // namespace
}  // namespace projnce::reproduce
