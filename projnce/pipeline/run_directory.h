#pragma once

#include <filesystem>

namespace projnce {

/// Where the files of a run are; see docs/file_formats.md.
struct RunPaths {
  std::filesystem::path root;

  std::filesystem::path config() const { return root / "config.toml"; }
  std::filesystem::path metrics() const { return root / "metrics.jsonl"; }
  std::filesystem::path checkpoints() const { return root / "checkpoints"; }
  std::filesystem::path encoder() const { return root / "encoder.safetensors"; }
  std::filesystem::path embeddings() const { return root / "embeddings.npy"; }
  std::filesystem::path labels() const { return root / "labels.npy"; }
  std::filesystem::path train_labels() const { return root / "train_labels.npy"; }
  std::filesystem::path summary() const { return root / "summary.json"; }
  std::filesystem::path log() const { return root / "log.txt"; }
  std::filesystem::path lock() const { return root / "lock"; }
};

/// Throws where `root` already holds a run or anything else, or cannot be written to; writes
/// nothing.
void check_run_can_be_made(const std::filesystem::path& root);

/// Makes the directories of a new run.
RunPaths make_run(const std::filesystem::path& root);

/// A directory that holds a run; throws where it does not.
RunPaths find_run(const std::filesystem::path& root);

/// `base`, or `base-2`, `base-3`, ... where that one is taken.
std::filesystem::path free_run_name(const std::filesystem::path& base);

}  // namespace projnce
