#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/paper_datasets.h"
#include "projnce/reproduce/scale.h"

namespace projnce {

/// One training of a table: a place in it and a seed.
struct Cell {
  size_t dataset = 0, condition = 0, method = 0;  ///< numbers in the experiment's lists
  int64_t seed = 1;
  std::string column;               ///< "CIFAR-10, 30 % wrong labels"
  std::string title;                ///< "CIFAR-10, 30 % wrong labels, SupCon, seed 2"
  Table config;                     ///< what `projnce train` is given
  std::filesystem::path directory;  ///< of the run

  /// Stands beside the run, so that its settings can be trained again by hand.
  std::filesystem::path config_file() const;
};

/// All cells whose dataset is there, seed after seed, so that a reproduction that is stopped early
/// has whole tables of fewer seeds. Runs lie in ROOT/DATASET/CONDITION/METHOD/seed-N: tables that
/// share a cell share its run.
std::vector<Cell> plan_cells(const Experiment& experiment, const Scale& scale,
                             const std::vector<PaperDataset>& datasets,
                             const std::filesystem::path& root, int64_t seeds);

/// Whether the cell's run is there and finished. Throws where a run with other settings stands in
/// its place.
bool is_finished(const Cell& cell);

}  // namespace projnce
