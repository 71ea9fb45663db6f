#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/reproduce/result.h"

namespace projnce::testing {

/// Cell of runs with seeds 1, 2, ... in runs/NAME.
inline reproduce::ResultCell made_cell(const std::string& name,
                                       std::initializer_list<double> values,
                                       std::optional<double> paper = std::nullopt) {
  reproduce::ResultCell cell{.runs = {}, .absent = {}, .published = paper};
  for (const double value : values) {
    const auto seed = static_cast<int64_t>(cell.runs.size()) + 1;
    cell.runs.push_back({seed, value, concat("runs/", name, "/seed-", seed)});
  }
  return cell;
}

inline reproduce::ResultCell absent_cell(std::string why,
                                         std::optional<double> paper = std::nullopt) {
  return {.runs = {}, .absent = std::move(why), .published = paper};
}

/// Three methods on two datasets. One method has markup in its name and a missing seed; some cells
/// have no runs.
inline reproduce::Result made_result() {
  reproduce::ResultTable table{
      .measure = "centroid",
      .title = "Accuracy by nearest centroid",
      .unit = reproduce::ResultUnit::kPercent,
      .columns = {{"stl10", "clean", "STL10", reproduce::RankingAgreement{-1.0 / 3, 3}},
                  {"cifar10", "clean", "CIFAR-10", std::nullopt}},
      .rows = {{"simclr", "SimCLR", "", 0},
               {"bold", "<b>|x", "", 0},
               {"projnce", "ProjNCE", "", 0}},
      .cells = {}};
  auto short_of_one = made_cell("stl10/bold", {0.25, 0.27}, 0.257);
  short_of_one.absent = "the disk was full";
  table.cells = {
      {made_cell("stl10/simclr", {0.365, 0.369, 0.373}, 0.744), made_cell("c/s", {0.5})},
      {short_of_one, absent_cell("CIFAR-10 is not here", 0.91)},
      {made_cell("stl10/projnce", {0.4, 0.41, 0.42}, 0.4), absent_cell("CIFAR-10 is not here")}};
  return {.name = "table4",
          .title = "Wrong labels",
          .question = "Which loss keeps its accuracy?",
          .scale = "laptop",
          .recipe = "a small encoder,\n20 epochs",
          .source = "arXiv:2506.09810",
          .command = "projnce reproduce table4 --scale laptop",
          .remarks = {"See `projnce reproduce --help`; 3 < 5 * 2."},
          .tables = {table},
          .images = {{"table4-a.svg", "A [map]", "<svg><title>a</title></svg>\n"}},
          .axis = "",
          .trained_runs = 9,
          .trained_seconds = 7800};
}

}  // namespace projnce::testing
