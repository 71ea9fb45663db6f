#pragma once

#include <filesystem>
#include <system_error>

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
  std::filesystem::path split() const { return root / "split.safetensors"; }
  std::filesystem::path data() const { return root / "data.json"; }
  std::filesystem::path commands() const { return root / "commands.txt"; }
  std::filesystem::path tsne() const { return root / "tsne.npy"; }
  std::filesystem::path suspects() const { return root / "suspects.csv"; }
  std::filesystem::path samples() const { return root / "samples.safetensors"; }
  std::filesystem::path report() const { return root / "report.html"; }
  std::filesystem::path summary() const { return root / "summary.json"; }
  std::filesystem::path log() const { return root / "log.txt"; }
  std::filesystem::path lock() const { return root / "lock"; }
};

/// Whether the directory holds a run, finished or not.
inline bool holds_run(const std::filesystem::path& directory) {
  std::error_code unreadable;
  return std::filesystem::is_regular_file(RunPaths{directory}.config(), unreadable);
}

}  // namespace projnce
