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

/// The contents of an archive's members, one after another, addressed from the first byte on.
class ArchiveContents {
 public:
  virtual ~ArchiveContents() = default;
  /// Fills `room` from `offset` on. May be called from several threads at once.
  virtual void read(uint64_t offset, std::span<std::byte> room) const = 0;
};

/// Contents that are in the archive's own file as they are.
class ContentsInPlace : public ArchiveContents {
 public:
  explicit ContentsInPlace(RegularFile file) : file_(std::move(file)) {}
  void read(uint64_t offset, std::span<std::byte> room) const override;

 private:
  RegularFile file_;
};

/// Contents that were unpacked: in memory up to a budget, beyond it in a file without a name, which
/// is gone when the process ends, however it ends.
class UnpackedContents : public ArchiveContents {
 public:
  /// `archive` is for messages.
  UnpackedContents(const std::string& archive, const FileTreeOptions& options);

  void append(std::span<const std::byte> bytes);
  uint64_t size() const { return in_memory_ + spooled_; }
  void read(uint64_t offset, std::span<std::byte> room) const override;

 private:
  size_t append_in_memory(std::span<const std::byte> bytes);
  void append_to_spool(std::span<const std::byte> bytes);
  void open_spool();
  void check_free_space();
  size_t copy_from_memory(uint64_t offset, std::span<std::byte> room) const;

  FileTreeOptions options_;
  std::string archive_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  uint64_t in_memory_ = 0;
  RegularFile spool_;
  uint64_t spooled_ = 0;
  uint64_t next_check_ = 0;  ///< how much is spooled when the free space is looked at again
};

struct ScannedArchive {
  ArchiveIndex index;
  std::unique_ptr<ArchiveContents> contents;
  std::string remark;  ///< a sentence on entries that were left out; "" where there are none
};

/// Reads an archive once from front to back. Of a plain tar only the places of its members are
/// kept; of others the contents are unpacked. Regular files, folders and hard links between files
/// of the archive are taken over; links to elsewhere, devices, pipes and names that lead out of the
/// archive are left out. Throws where the archive is damaged, cut short, holds no file, or is made
/// to do harm.
ScannedArchive scan_archive(RegularFile file, const FileTreeOptions& options);

}  // namespace projnce::io
