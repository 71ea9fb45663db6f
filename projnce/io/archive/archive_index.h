#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace projnce::io
