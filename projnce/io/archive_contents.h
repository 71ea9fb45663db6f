#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "projnce/io/file_tree.h"

namespace projnce {

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

}  // namespace projnce
