#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::io {

/// Where the content of an archive's member is.
struct MemberPlace {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// The names in an archive, sorted, and where the contents are. Names are normal ones
/// (`file_tree.h`). All of them are kept in one string, so that millions cost little.
class ArchiveIndex {
 public:
  void add_file(std::string_view name, MemberPlace place);
  void add_folder(std::string_view name);
  /// A second name for the content of another file of the archive, before or after it.
  void add_link(std::string_view name, std::string_view target);
  /// Sorts what was added; of a name added more than once, the last counts, as it does where an
  /// archive is unpacked. Returns how many links lead to no file of the archive and are left out.
  /// REQUIRES: called once, before what follows.
  size_t finish();

  /// Null where there is no such file.
  const MemberPlace* find(std::string_view name) const;
  bool has_folder(std::string_view folder) const;
  /// As FileTree's members of the same names; a folder that is not there is empty.
  std::vector<std::string> subfolders(std::string_view folder) const;
  std::vector<std::string> files_below(std::string_view folder,
                                       const std::vector<std::string>& extensions) const;
  size_t files() const { return files_; }

 private:
  enum class Kind : uint8_t { kFile, kFolder, kLink };
  /// A folder's name has a '/' at its end, so that it sorts before all that is below it.
  struct Entry {
    uint64_t name_offset = 0;
    uint32_t name_size = 0;
    Kind kind = Kind::kFile;
    MemberPlace place;  ///< of a link: where the target's name is
  };
  using Iterator = std::vector<Entry>::const_iterator;

  void add(std::string_view name, Kind kind, MemberPlace place);
  MemberPlace keep(std::string_view name);
  std::string_view text(MemberPlace place) const;
  std::string_view name_of(const Entry& entry) const;
  Iterator first_from(std::string_view name) const;
  const Entry* entry_called(std::string_view name) const;
  const Entry* follow(const Entry& link) const;
  void keep_last_of_each_name();

  std::string names_;
  std::vector<Entry> entries_;
  size_t files_ = 0;
};

}  // namespace projnce::io
