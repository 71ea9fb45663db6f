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

/// One training run of a table: its position and seed.
struct Cell {
  size_t dataset = 0, condition = 0, method = 0;  ///< indices in the lists of the experiment
  int64_t seed = 1;
  std::string column;               ///< "CIFAR-10, 30 % wrong labels"
  std::string title;                ///< "CIFAR-10, 30 % wrong labels, SupCon, seed 2"
  Table config;                     ///< configuration for `projnce train`
  std::filesystem::path directory;  ///< of the run

  /// File next to the run directory with its configuration, to repeat the run manually.
  std::filesystem::path config_file() const;
};

/// Returns all cells with available datasets, ordered by seed, so that an interrupted reproduction
/// has complete tables with fewer seeds. Runs are in ROOT/DATASET/CONDITION/METHOD/seed-N; tables
/// share the runs of common cells.
std::vector<Cell> plan_cells(const Experiment& experiment, const Scale& scale,
                             const std::vector<PaperDataset>& datasets,
                             const std::filesystem::path& root, int64_t seeds);

/// True if the run of the cell exists and is finished. Throws if it was trained with other
/// settings.
bool is_finished(const Cell& cell);

/// Cells of one dataset and condition that cannot be trained, for the same reason.
struct UnavailableCells {
  std::string column;  ///< "Fashion-MNIST, trained on vehicle and animal"
  std::string reason;  ///< error message
  std::vector<Cell> cells;
};

/// Removes the cells whose settings do not fit their dataset (a condition of another dataset, noise
/// that only applies to images, options out of range) and returns them. Reads settings and dataset
/// indices; does not train or decode samples.
std::vector<UnavailableCells> remove_unavailable_cells(std::vector<Cell>& cells,
                                                       const dataset::OpenContext& context);

/// One training in a child process.
struct CellJob {
  std::string title;                ///< name in messages
  std::filesystem::path config;     ///< configuration file
  std::filesystem::path directory;  ///< of the run; an existing run is resumed
  /// Standard error of the process is appended here. Must be outside of `directory`, which must be
  /// empty for a new run.
  std::filesystem::path log;
};

/// Result of a training process.
struct JobEnd {
  int status = 0;  ///< exit status as reported by a shell; 0: success
  double seconds = 0;
  /// Empty on success. Otherwise the error message of the process, or "ended with status 3", "was
  /// killed by signal 9 (Killed)".
  std::string error_message;
};

/// Process pool that trains cells, and its callbacks.
struct CellPool {
  std::filesystem::path program;  ///< path of projnce
  int jobs = 1;                   ///< number of concurrent processes
  int threads = 0;                ///< per process; 0: default of the program
  std::function<bool()> stop_requested;
  std::function<void(const CellJob&)> on_start;
  std::function<void(const CellJob&, const JobEnd&)> on_end;
  /// Time to write a checkpoint after a stop request; slower processes are killed.
  std::chrono::duration<double> patience = std::chrono::seconds(60);
};

/// Trains all cells in order, `jobs` concurrently. A cell that fails does not stop the others.
///
/// Returns false if a stop was requested: starts no new cell then; running ones get SIGTERM, write
/// a checkpoint and exit. No child process outlives the call or this program. REQUIRES: no other
/// thread waits for children of this process.
bool run_cells(const std::vector<CellJob>& cells, const CellPool& pool);

}  // namespace projnce::reproduce
