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

/// Features that take long to compute, kept on disk: one small file for each key, in folders by the
/// first two digits of the key's hash.
///
/// A cache never stops the work. What cannot be read, is damaged, or belongs to another key or
/// version counts as absent and is written anew; what cannot be written is simply not kept.
/// Entries appear whole or not at all (io/filesystem/atomic_file.h), so any number of processes may
/// share a folder and be killed at any moment; nobody waits for the disk, since a power failure
/// only tears what the checksum gives away. Within a process there is one FeatureCache for a
/// folder; its functions may be called from several threads.
class FeatureCache {
 public:
  /// The folder is made when the first entry is stored.
  explicit FeatureCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// `key` names everything that the features depend on: content_id of the file, all parameters.
  std::optional<Features> find(std::string_view key) const;

  /// False where the entry could not be kept. True at once where another thread is storing it.
  bool store(std::string_view key, const Features& features);

  /// Why the first entry that could not be kept was not, for one warning to the user; empty as long
  /// as all is well.
  std::string first_failure() const;

  /// Where the entry of a key is or would be.
  std::filesystem::path entry_path(std::string_view key) const;

 private:
  void note_failure(const std::string& reason);

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::set<std::filesystem::path> being_stored_;
  std::string first_failure_;
};

}  // namespace projnce::io
