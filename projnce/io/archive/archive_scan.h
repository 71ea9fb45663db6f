#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/file_tree.h"

namespace projnce::io {

/// Location of an archive member's content.
struct MemberExtent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// Sorted index of the members of an archive. Names are normalized (`file_tree.h`) and stored in a
/// single string, so that millions of them need little space.
class ArchiveIndex {
 public:
  void add_file(std::string_view name, MemberExtent place);
  void add_folder(std::string_view name);
  /// Adds a hard link to another file of the archive, which may be added before or after.
  void add_link(std::string_view name, std::string_view target);
  /// Sorts the entries. If a name was added more than once, the last one wins, as in extraction.
  /// Returns the number of dropped links, whose targets are not files of the archive.
  /// REQUIRES: called once, before any of the functions below.
  size_t finish();

  /// Returns null if the archive has no file of that name.
  const MemberExtent* find(std::string_view name) const;
  bool has_folder(std::string_view folder) const;
  /// As the functions of FileTree; a missing folder is empty.
  std::vector<std::string> subfolders(std::string_view folder) const;
  std::vector<std::string> files_below(std::string_view folder,
                                       const std::vector<std::string>& extensions) const;
  size_t files() const { return files_; }

 private:
  enum class Kind : uint8_t { kFile, kFolder, kLink };
  /// Folder names end in '/', so that they sort before their contents.
  struct Entry {
    uint64_t name_offset = 0;
    uint32_t name_size = 0;
    Kind kind = Kind::kFile;
    MemberExtent place;  ///< for a link: location of the target's name in `names_`
  };
  using Iterator = std::vector<Entry>::const_iterator;

  void add(std::string_view name, Kind kind, MemberExtent place);
  MemberExtent append_name(std::string_view name);
  std::string_view text(MemberExtent place) const;
  std::string_view name_of(const Entry& entry) const;
  Iterator lower_bound(std::string_view name) const;
  const Entry* find_entry(std::string_view name) const;
  const Entry* resolve_link(const Entry& link) const;
  void remove_overridden_entries();

  std::string names_;
  std::vector<Entry> entries_;
  size_t files_ = 0;
};

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
