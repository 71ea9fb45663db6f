#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

// Names of files in a FileTree: relative, '/' between folders, "" is the root.

/// `name` without what says nothing ("./", "a//b", a '/' at the end). Nothing where it is absolute,
/// has a ".." among its parts, or a NUL: such names lead out of the tree or cannot be of a file.
std::optional<std::string> normal_name(std::string_view name);

/// "a" and "b" give "a/b"; an empty one gives the other.
std::string join_names(std::string_view folder, std::string_view name);

/// True for the last part of a name that lists leave out: a leading '.', __MACOSX.
bool is_hidden_part(std::string_view part);

/// True where a part of the normal name is hidden.
bool is_hidden_name(std::string_view name);

/// True where `name` ends in one of `extensions`, which are lower case; its own case does not
/// matter. None asked for: true.
bool has_extension(std::string_view name, const std::vector<std::string>& extensions);

/// Files by their names below a root: a folder on disk, or an archive that is read in place.
/// Names are relative, with '/' between folders, and "" is the root itself. Hidden files and
/// folders (a leading '.', __MACOSX) are left out of lists. All members may be called from several
/// threads at once.
class FileTree {
 public:
  virtual ~FileTree() = default;

  /// What messages call the root: the path of the folder or archive, printable.
  virtual const std::string& name() const = 0;
  /// A sentence for the user on what of the root was left out; "" where there is nothing to say.
  virtual std::string remark() const { return {}; }
  /// True for what is there and no folder: reading it may still fail. Names that are absolute or
  /// have a ".." are of no file and no folder: all that take a name refuse them.
  virtual bool has_file(const std::string& file) const = 0;
  virtual bool has_folder(const std::string& folder) const = 0;
  /// Names, not paths, of the folders directly in `folder`, sorted by bytes. Throws where there is
  /// no such folder, as files_below does.
  virtual std::vector<std::string> subfolders(const std::string& folder) const = 0;
  /// The files at any depth below `folder` whose names end in one of `extensions` (lower case; the
  /// files' case does not matter; none: all files), relative to `folder`, sorted by bytes.
  virtual std::vector<std::string> files_below(
      const std::string& folder, const std::vector<std::string>& extensions) const = 0;
  /// Throws where the file is missing, is no regular file or has more than `limit` bytes.
  virtual FileBytes read(const std::string& file, size_t limit = SIZE_MAX) const = 0;
  virtual uint64_t file_size(const std::string& file) const = 0;
  /// Part of a file that may be too large for memory. Throws as read() does, and where the file
  /// does not go as far.
  virtual FileBytes read_range(const std::string& file, uint64_t offset, size_t size) const = 0;
  /// Changes when the file does: place, size, time of change. For keys of caches.
  virtual std::string content_id(const std::string& file) const = 0;
};

using FileTreePtr = std::shared_ptr<const FileTree>;

struct FileTreeOptions {
  /// Contents of a compressed archive are kept in memory up to this many bytes, beyond it in a
  /// file.
  size_t memory_budget = size_t{1} << 30;
  std::filesystem::path spool_folder = {};  ///< for that file; "" is the system's temporary folder
};

/// Opens a folder, or an archive (tar, zip, plain or compressed) told by its content. Nothing of an
/// archive is ever written under the names that it gives. Throws where `root` is neither.
FileTreePtr open_file_tree(const std::filesystem::path& root, const FileTreeOptions& options = {});

/// The part of a tree below one of its folders. Throws where it has no such folder.
FileTreePtr subtree(FileTreePtr tree, const std::string& folder);

/// True where the name ends as those of archives do: .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz,
/// .tar.zst or .zip.
bool is_archive_name(const std::filesystem::path& path);

/// A folder on disk. Links to files are followed. Links to folders are folders too, unless they
/// lead back to the folder that holds them or above it; `files_below` does not go through them, so
/// that it ends. What is neither folder nor regular file is listed as a file: reading it tells the
/// user, leaving it out would not.
class FolderTree : public FileTree {
 public:
  /// REQUIRES: `root` is a folder.
  explicit FolderTree(const std::filesystem::path& root);

  const std::string& name() const override { return name_; }
  bool has_file(const std::string& file) const override;
  bool has_folder(const std::string& folder) const override;
  std::vector<std::string> subfolders(const std::string& folder) const override;
  std::vector<std::string> files_below(const std::string& folder,
                                       const std::vector<std::string>& extensions) const override;
  FileBytes read(const std::string& file, size_t limit) const override;
  uint64_t file_size(const std::string& file) const override;
  FileBytes read_range(const std::string& file, uint64_t offset, size_t size) const override;
  std::string content_id(const std::string& file) const override;

 private:
  /// Where a name of the tree is on disk; throws where it would lead out of the root.
  std::filesystem::path place_of(const std::string& name) const;

  std::filesystem::path root_;
  std::string name_;
};

}  // namespace projnce::io
