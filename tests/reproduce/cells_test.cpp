#include "projnce/reproduce/cells.h"

#include <gtest/gtest.h>

#include "projnce/core/toml.h"
#include "tests/support/error_message.h"
#include "tests/support/run_folder.h"
#include "tests/support/scratch_dir.h"

namespace projnce::reproduce {
namespace {

using testing::error_message_of;
using testing::ScratchDir;
using testing::write_text;

PaperDataset make_dataset(const std::string& name) {
  PaperDataset dataset{.name = name, .title = name, .column = name};
  dataset.table.values["name"] = Value{name, {}};
  return dataset;
}

/// Two classes of files that are never decoded.
PaperDataset make_folder(const std::filesystem::path& path) {
  for (const auto* name :
       {"cat/1.png", "cat/2.png", "cat/3.png", "dog/1.png", "dog/2.png", "dog/3.png"}) {
    write_text(path / name, "no image");
  }
  auto dataset = make_dataset("photos");
  dataset.table.values["name"] = Value{std::string("folder"), {}};
  dataset.table.values["root"] = Value{path.string(), {}};
  return dataset;
}

std::vector<Cell> table1_cells(const std::vector<PaperDataset>& datasets, int64_t seeds,
                               const std::filesystem::path& root = "out") {
  return plan_cells(read_experiment("table1", "laptop"), read_scale("laptop"), datasets, root,
                    seeds);
}

TEST(PlanCells, OrdersCellsBySeed) {
  const auto cells = table1_cells({make_dataset("cifar10")}, 2);
  ASSERT_EQ(cells.size(), 12u);  // 3 conditions, 2 methods
  EXPECT_EQ(cells[0].directory, "out/cifar10/clean/supcon/seed-1");
  EXPECT_EQ(cells[1].directory, "out/cifar10/clean/projnce/seed-1");
  EXPECT_EQ(cells[3].directory, "out/cifar10/noise-30/projnce/seed-1");
  EXPECT_EQ(cells[6].seed, 2);
  EXPECT_EQ(cells[2].title, "cifar10, 30 % wrong labels, SupCon, seed 1");
}

TEST(PlanCells, MergesSettingsOfScaleConditionAndMethod) {
  const auto cell = table1_cells({make_dataset("cifar10")}, 2)[9];
  const auto text = to_toml(cell.config);
  for (const auto* part : {"seed = 2", "max_train = 4000", "rate = 0.3", "name = 'projnce'",
                           "name = 'cifar10'", "name = 'resnet-small'"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(PlanCells, UsesThePapersReportRule) {
  const auto eval = table1_cells({make_dataset("cifar10")}, 1)[0].config.tables.at("eval");
  EXPECT_EQ(std::get<std::string>(eval.values.at("report").data), "best-test-epoch");
  EXPECT_EQ(std::get<std::string>(eval.values.at("readout").data), "paper");
}

TEST(IsFinished, AcceptsRunsOfVersionsWithoutAReportRule) {
  const ScratchDir scratch;
  const auto cell = table1_cells({make_dataset("cifar10")}, 1, scratch.path())[0];
  auto config = cell.config;
  for (const auto* key : {"report", "readout"}) config.tables["eval"].values.erase(key);
  write_text(cell.directory / "config.toml", to_toml(config));
  write_text(cell.directory / "summary.json", "{}");
  EXPECT_TRUE(is_finished(cell));
  config.tables["eval"].values["report"] = Value{std::string("delivered"), {}};
  write_text(cell.directory / "config.toml", to_toml(config));
  EXPECT_NE(error_message_of([&] { is_finished(cell); }).find("eval.report"), std::string::npos);
}

TEST(PlanCells, SkipsAbsentDatasets) {
  auto absent = make_dataset("stl10");
  absent.absent = "STL10 is not on this machine";
  for (const auto& cell : table1_cells({absent, make_dataset("cifar10")}, 1)) {
    EXPECT_EQ(cell.dataset, 1u);
  }
}

TEST(UnavailableCells, AreRemovedWithTheReason) {
  const ScratchDir scratch;
  const auto dataset = make_folder(scratch / "photos");
  auto cells = table1_cells({dataset}, 2);
  ASSERT_EQ(cells.size(), 12u);
  const auto unavailable = remove_unavailable_cells(cells, {});
  EXPECT_EQ(cells.size(), 8u);
  for (const auto& cell : cells) EXPECT_NE(cell.column, "photos, trained on vehicle and animal");
  ASSERT_EQ(unavailable.size(), 1u);
  EXPECT_EQ(unavailable[0].column, "photos, trained on vehicle and animal");
  EXPECT_NE(unavailable[0].reason.find("coarse_training"), std::string::npos);
  EXPECT_EQ(unavailable[0].cells.size(), 4u);
}

TEST(UnavailableCells, IncludeCellsWithInvalidSettings) {
  const ScratchDir scratch;
  const auto dataset = make_folder(scratch / "photos");
  auto cells = table1_cells({dataset}, 1);
  cells[1].config.tables["loss"].values["temperature"] = Value{-1.0, {}};
  const auto unavailable = remove_unavailable_cells(cells, {});
  ASSERT_EQ(unavailable.size(), 2u);
  EXPECT_NE(unavailable[0].reason.find("temperature"), std::string::npos);
  EXPECT_EQ(unavailable[0].cells.size(), 1u);
}

TEST(IsFinished, AcceptsARunWithTheSameSettings) {
  const ScratchDir scratch;
  const auto cell = table1_cells({make_dataset("cifar10")}, 1, scratch.path())[0];
  EXPECT_FALSE(is_finished(cell));
  auto config = cell.config;
  config.values["threads"] = Value{int64_t{2}, {}};  // keys that a run adds are ignored
  write_text(cell.directory / "config.toml", to_toml(config));
  EXPECT_FALSE(is_finished(cell));
  write_text(cell.directory / "summary.json", "{}");
  EXPECT_TRUE(is_finished(cell));
}

TEST(IsFinished, RejectsARunWithOtherSettings) {
  const ScratchDir scratch;
  const auto cell = table1_cells({make_dataset("cifar10")}, 1, scratch.path())[0];
  auto config = cell.config;
  config.tables["train"].values["epochs"] = Value{int64_t{3}, {}};
  write_text(cell.directory / "config.toml", to_toml(config));
  write_text(cell.directory / "summary.json", "{}");
  const auto message = error_message_of([&] { is_finished(cell); });
  EXPECT_NE(message.find("trained with different settings"), std::string::npos) << message;
  EXPECT_NE(message.find("epochs"), std::string::npos) << message;
}

}  // namespace
}  // namespace projnce::reproduce
