#pragma once

#include <filesystem>
#include <optional>
#include <system_error>

#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

/// Paths of the files of a run; see docs/file_formats.md.
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
  std::filesystem::path label_issues() const { return root / "label_issues.csv"; }
  std::filesystem::path samples() const { return root / "samples.safetensors"; }
  std::filesystem::path report() const { return root / "report.html"; }
  std::filesystem::path summary() const { return root / "summary.json"; }
  std::filesystem::path log() const { return root / "log.txt"; }
  std::filesystem::path lock() const { return root / "lock"; }
};

/// Whether the directory contains a run, finished or not.
inline bool contains_run(const std::filesystem::path& directory) {
  std::error_code unreadable;
  return std::filesystem::is_regular_file(RunPaths{directory}.config(), unreadable);
}

/// Throws if `root` already exists and is not empty, or is not writable. Writes nothing.
void check_new_run(const std::filesystem::path& root);

/// Creates the directories of a new run.
RunPaths make_run(const std::filesystem::path& root);

/// Returns the paths of an existing run; throws if `root` does not contain one.
RunPaths find_run(const std::filesystem::path& root);

/// Removes temporary files that a killed process left in the run. REQUIRES: the run's lock is held.
void remove_leftovers(const RunPaths& paths);

/// Returns the first of `base`, `base-2`, `base-3`, ... that does not exist.
std::filesystem::path unused_run_path(const std::filesystem::path& base);

/// Restricts a directory to a single writer with a lock on the file `path`, which records its
/// owner. The system releases the lock when the process ends; the file remains and is harmless.
class FileLock {
 public:
  /// Throws (ErrorKind::kInput) with the owner's process id and host if another process holds the
  /// lock. On file systems without locks, the file only records the last writer.
  explicit FileLock(const std::filesystem::path& path);

 private:
  FileDescriptor file_;
};

/// Returns whether the process recorded in the lock file is running; std::nullopt if none is
/// recorded or it belongs to another host. Does not interfere with the lock.
std::optional<bool> is_lock_owner_alive(const std::filesystem::path& path);

}  // namespace projnce::io
