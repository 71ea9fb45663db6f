#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/dataset/registry.h"
#include "projnce/reproduce/experiment.h"

namespace projnce::reproduce {

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

/// Cells of one dataset and condition that cannot be trained.
struct UnavailableCells {
  std::string column;  ///< "Fashion-MNIST, trained on vehicle and animal"
  std::string reason;  ///< a sentence
  std::vector<Cell> cells;
};

/// Takes the cells out of `cells` whose settings do not fit their dataset: a condition that only
/// another dataset has, noise that only images take, options out of range. Reads settings and the
/// dataset's index; trains and decodes nothing.
std::vector<UnavailableCells> remove_unavailable_cells(std::vector<Cell>& cells,
                                                       const dataset::OpenContext& context);

/// One training, by a process of its own.
struct CellJob {
  std::string title;                ///< what messages call it
  std::filesystem::path config;     ///< its TOML file
  std::filesystem::path directory;  ///< of the run; one that was stopped goes on
  /// Gets at its end what the process says. Outside `directory`, which must be empty for a new run.
  std::filesystem::path log;
};

/// How a training ended.
struct JobEnd {
  int status = 0;  ///< as shells report it; 0 where all went well
  double seconds = 0;
  /// What was wrong; empty where nothing was. The process's own sentence, or "ended with status 3",
  /// "was killed by signal 9 (Killed)".
  std::string error_message_of;
};

/// Who trains, and who is told.
struct CellPool {
  std::filesystem::path program;  ///< projnce
  int jobs = 1;                   ///< at once
  int threads = 0;                ///< of each; 0 leaves it to the process
  std::function<bool()> stop_requested;
  std::function<void(const CellJob&)> on_start;
  std::function<void(const CellJob&, const JobEnd&)> on_end;
  /// For writing a checkpoint after a request to stop. Who takes longer is killed.
  std::chrono::duration<double> patience = std::chrono::seconds(60);
};

/// Trains all cells, `jobs` at a time, in order. A cell that fails does not stop the others.
///
/// Returns false where a stop was requested: then no new cell starts, and running ones get SIGTERM,
/// write a checkpoint and end. No process outlives the call, nor this program: whoever does not
/// want to wait ends it.
/// REQUIRES: nobody else waits for children of this process meanwhile.
bool run_cells(const std::vector<CellJob>& cells, const CellPool& pool);

}  // namespace projnce::reproduce
