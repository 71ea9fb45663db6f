#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/archive/archive_index.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::io {

/// Concatenated contents of an archive's members.
class ArchiveContents {
 public:
  virtual ~ArchiveContents() = default;
  /// Fills `buffer` with the bytes at `offset`. Thread-safe.
  virtual void read(uint64_t offset, std::span<std::byte> buffer) const = 0;
};

/// Contents that are stored uncompressed in the archive file.
class ContentsInPlace : public ArchiveContents {
 public:
  explicit ContentsInPlace(RegularFile file) : file_(std::move(file)) {}
  void read(uint64_t offset, std::span<std::byte> buffer) const override;

 private:
  RegularFile file_;
};

/// Decompressed contents: in memory up to a budget, the rest in an unnamed temporary file, which
/// the system removes when the process ends.
class UnpackedContents : public ArchiveContents {
 public:
  /// `archive` is the name used in messages.
  UnpackedContents(const std::string& archive, const FileTreeOptions& options);

  void append(std::span<const std::byte> bytes);
  uint64_t size() const { return in_memory_ + spooled_; }
  void read(uint64_t offset, std::span<std::byte> buffer) const override;

 private:
  size_t append_in_memory(std::span<const std::byte> bytes);
  void append_to_spool(std::span<const std::byte> bytes);
  void open_spool();
  void check_free_space();
  size_t copy_from_memory(uint64_t offset, std::span<std::byte> buffer) const;

  FileTreeOptions options_;
  std::string archive_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  uint64_t in_memory_ = 0;
  RegularFile spool_;
  uint64_t spooled_ = 0;
  uint64_t next_check_ = 0;  ///< value of `spooled_` at which to check the free space again
};

struct ScannedArchive {
  ArchiveIndex index;
  std::unique_ptr<ArchiveContents> contents;
  std::string remark;  ///< sentence about skipped entries; "" if there are none
};

/// Scans an archive once, front to back. For an uncompressed tar, only the locations of its members
/// are recorded; otherwise the contents are decompressed. Keeps regular files, folders and hard
/// links between files of the archive. Skips other links, devices, pipes and names that escape the
/// archive. Throws if the archive is corrupt, truncated, contains no file, or looks like a
/// decompression bomb.
ScannedArchive scan_archive(RegularFile file, const FileTreeOptions& options);

}  // namespace projnce::io
