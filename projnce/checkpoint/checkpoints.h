#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/logging.h"

namespace projnce::checkpoint {

struct CheckpointDirOptions {
  /// Number of newest checkpoints to keep; at least 2, so that a corrupt one has a predecessor.
  int64_t keep = 2;
};

struct Checkpoint {
  int64_t step = 0;
  std::filesystem::path path;
  TensorFile state;
};

struct CorruptCheckpoint {
  std::filesystem::path path;
  std::string reason;  // error message, including the path
};

/// The checkpoint to resume from, and the newer corrupt files that were skipped.
struct NewestCheckpoint {
  std::optional<Checkpoint> checkpoint;
  std::vector<CorruptCheckpoint> corrupt;  // newest first
};

/// The `checkpoints/` directory of a run: `step-000123.safetensors` for each kept step, and
/// `best.safetensors`. Keeps no open files and no state besides the path. REQUIRES: only one
/// process writes at a time.
class CheckpointDir {
 public:
  explicit CheckpointDir(std::filesystem::path directory, CheckpointDirOptions options = {});

  /// Writes the checkpoint of `step` and returns its path. Of the checkpoints up to `step`, removes
  /// all but the newest `keep`; also removes temporary files of killed writers. Checkpoints of
  /// later steps are kept and not counted: a run that fell back to an earlier step must not lose
  /// its new file because of corrupt later ones.
  std::filesystem::path save(int64_t step, const TensorFile& state) const;

  /// Replaces the best checkpoint, which is never removed.
  void save_best(const TensorFile& state) const;
  std::filesystem::path best_path() const;

  /// Returns the newest checkpoint that loads and verifies, trying from newest to oldest. Returns
  /// none if the directory does not exist; ignores `best`.
  NewestCheckpoint newest_valid() const;

 private:
  void prepare_for_writing() const;

  std::filesystem::path directory_;
  CheckpointDirOptions options_;
};

/// A checkpoint to write.
struct CheckpointJob {
  int64_t step = 0;
  TensorFile state;   ///< may share memory with the model being trained: it is copied
  bool best = false;  ///< if true, also replaces `best.safetensors`
  /// Called before writing, on the writer thread, to write files that the checkpoint refers to. If
  /// it throws, the checkpoint fails. May be empty.
  std::function<void()> before = {};
};

/// Writes checkpoints asynchronously: `save` only copies the state, and a background thread writes
/// it to disk while training continues. A checkpoint that cannot be written is logged and counted,
/// and the previous one is kept. A best checkpoint that cannot be written is retried before any
/// other write, because no checkpoint may refer to a best one that does not exist. Not thread-safe.
class CheckpointWriter {
 public:
  CheckpointWriter(CheckpointDir directory, Logger logger);
  /// Waits for the checkpoint that is being written.
  ~CheckpointWriter();

  /// Starts writing a checkpoint. Waits first if the previous one is still being written.
  void save(const CheckpointJob& job);
  /// Waits until nothing is being written.
  void wait();
  /// Waits, and retries a best checkpoint that could not be written one last time.
  void finish();

  int64_t failures() const { return failures_; }
  /// Returns the newest checkpoint known to be on disk; empty before the first.
  const std::filesystem::path& newest() const { return newest_; }

 private:
  using JobPtr = std::shared_ptr<const CheckpointJob>;

  void start(JobPtr job);

  CheckpointDir directory_;
  Logger logger_;
  NamedTensors buffers_;  // memory of the copies, reused to avoid page faults
  int64_t failures_ = 0;
  std::filesystem::path newest_;
  JobPtr pending_best_;  // owned by the writer thread while it runs
  std::future<std::filesystem::path> writing_;
};

}  // namespace projnce::checkpoint
