#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>

#include "projnce/checkpoint/checkpoint_dir.h"
#include "projnce/core/logging.h"

namespace projnce {

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

}  // namespace projnce
