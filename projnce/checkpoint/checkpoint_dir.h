#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"

namespace projnce {

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

}  // namespace projnce
