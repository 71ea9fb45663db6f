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
  /// How many of the newest checkpoints stay; at least 2, so that a damaged one has a predecessor.
  int64_t keep = 2;
};

struct Checkpoint {
  int64_t step = 0;
  std::filesystem::path path;
  TensorFile state;
};

struct DamagedCheckpoint {
  std::filesystem::path path;
  std::string reason;  // a sentence that names the file
};

/// What a resumed run starts from, and the newer files that had to be passed over for it.
struct NewestCheckpoint {
  std::optional<Checkpoint> checkpoint;
  std::vector<DamagedCheckpoint> damaged;  // newest first
};

/// A run's `checkpoints/`: `step-000123.safetensors` for each step kept, and `best.safetensors`.
/// Holds no open files and no state besides the path; one process writes at a time.
class CheckpointDir {
 public:
  explicit CheckpointDir(std::filesystem::path directory, CheckpointDirOptions options = {});

  /// Writes the checkpoint of `step`, then removes those older than the newest `keep` up to this
  /// step, and what killed writers left. Checkpoints of later steps stay: a run that fell back to
  /// an earlier step must not lose its own new file to the damaged ones after it. Returns the path.
  std::filesystem::path save(int64_t step, const TensorFile& state) const;

  /// Replaces the best checkpoint, which is never removed.
  void save_best(const TensorFile& state) const;
  std::filesystem::path best_path() const;

  /// The newest checkpoint that loads and verifies; tries from the newest downwards. No directory
  /// is no checkpoint; `best` is not looked at.
  NewestCheckpoint newest_valid() const;

 private:
  void prepare_for_writing() const;

  std::filesystem::path directory_;
  CheckpointDirOptions options_;
};

/// A checkpoint to write.
struct CheckpointJob {
  int64_t step = 0;
  TensorFile state;   ///< may share memory with what is being trained: it is copied
  bool best = false;  ///< also replaces `best.safetensors`
  /// Called first, in the background: what must be on the disk before the checkpoint that speaks of
  /// it. What it throws fails the checkpoint. May be empty.
  std::function<void()> before = {};
};

/// Writes checkpoints while training goes on: `save` takes a copy of the state, which is the only
/// time that training loses, and a thread brings it to the disk. A checkpoint that cannot be
/// written is said and counted, and the one before it stays. A best one that cannot be written is
/// kept and tried again before anything else is: no checkpoint may speak of a best one that is not
/// there. Use from one thread.
class CheckpointWriter {
 public:
  CheckpointWriter(CheckpointDir directory, Logger logger);
  /// Waits for the checkpoint that is being written.
  ~CheckpointWriter();

  /// Waits first, where the checkpoint before is still being written.
  void save(const CheckpointJob& job);
  /// Until nothing is being written.
  void wait();
  /// Waits, and tries a last time to write a best checkpoint that could not be written.
  void finish();

  int64_t failures() const { return failures_; }
  /// The newest checkpoint known to be on the disk; empty before the first.
  const std::filesystem::path& newest() const { return newest_; }

 private:
  using JobPtr = std::shared_ptr<const CheckpointJob>;

  void start(JobPtr job);

  CheckpointDir directory_;
  Logger logger_;
  NamedTensors buffers_;  // of the copies: memory that was used before is quicker to fill
  int64_t failures_ = 0;
  std::filesystem::path newest_;
  JobPtr owed_best_;  // belongs to the writing thread while there is one
  std::future<std::filesystem::path> writing_;
};

}  // namespace projnce::checkpoint
