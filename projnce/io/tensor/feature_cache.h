#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "projnce/core/sample.h"

namespace projnce::io {

/// On-disk cache of features that are slow to compute: one small file per key, in folders named
/// after the first two digits of the key's hash.
///
/// A cache never fails its caller. Entries that are unreadable, corrupt, or belong to another key
/// or version count as missing and are overwritten; entries that cannot be written are dropped.
/// Entries are written atomically (io/filesystem/atomic_file.h), so any number of processes may
/// share a folder and be killed at any time. Writes are not synced, since checksums detect entries
/// torn by a power failure. Use one FeatureCache per folder in a process; its functions are
/// thread-safe.
class FeatureCache {
 public:
  /// The folder is created when the first entry is stored.
  explicit FeatureCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// `key` must identify everything that the features depend on: the file's content_id and all
  /// parameters.
  std::optional<Features> find(std::string_view key) const;

  /// Returns false if the entry could not be stored, and true immediately if another thread is
  /// storing it.
  bool store(std::string_view key, const Features& features);

  /// Reason why an entry could not be stored (the first one), for a single warning; empty if none
  /// failed.
  std::string first_failure() const;

  /// Path of the entry of a key, whether or not it exists.
  std::filesystem::path entry_path(std::string_view key) const;

 private:
  void note_failure(const std::string& reason);

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::set<std::filesystem::path> being_stored_;
  std::string first_failure_;
};

}  // namespace projnce::io
