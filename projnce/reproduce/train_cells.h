#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace projnce {

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
  std::string complaint;
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

}  // namespace projnce
