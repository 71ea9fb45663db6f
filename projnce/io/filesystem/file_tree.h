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

// File names in a FileTree are relative and use '/' as the separator; "" is the root.

/// Returns `name` without redundant parts ("./", "a//b", a trailing '/'). Returns std::nullopt if
/// it is absolute or contains a ".." part or a NUL character: such names escape the tree or are
/// invalid.
std::optional<std::string> normalize_name(std::string_view name);

/// Joins with '/': "a" and "b" give "a/b"; if one is empty, returns the other.
std::string join_names(std::string_view folder, std::string_view name);

/// True if a path component is excluded from listings: a leading '.', or __MACOSX.
bool is_hidden_part(std::string_view part);

/// True if any component of the normalized name is hidden.
bool is_hidden_name(std::string_view name);

/// True if `name` ends in one of `extensions` (lowercase), ignoring the case of `name`; also true
/// if `extensions` is empty.
bool has_extension(std::string_view name, const std::vector<std::string>& extensions);

/// Read-only tree of files: a folder on disk, or an archive that is read in place. Names are
/// relative and use '/' as the separator; "" is the root. Hidden files and folders (a leading '.',
/// __MACOSX) are excluded from listings. All functions are thread-safe.
class FileTree {
 public:
  virtual ~FileTree() = default;

  /// Name of the root in messages: the printable path of the folder or archive.
  virtual const std::string& name() const = 0;
  /// A sentence for the user about skipped entries; "" if nothing was skipped.
  virtual std::string remark() const { return {}; }
  /// True if the name exists and is not a folder; reading it may still fail. Absolute names and
  /// names with ".." do not exist; all functions that take a name reject them.
  virtual bool has_file(const std::string& file) const = 0;
  virtual bool has_folder(const std::string& folder) const = 0;
  /// Names (not paths) of the direct subfolders of `folder`, sorted bytewise. Like files_below,
  /// throws if the folder does not exist.
  virtual std::vector<std::string> subfolders(const std::string& folder) const = 0;
  /// All files at any depth below `folder` with one of `extensions` (lowercase, matched ignoring
  /// case; empty matches all), relative to `folder`, sorted bytewise.
  virtual std::vector<std::string> files_below(
      const std::string& folder, const std::vector<std::string>& extensions) const = 0;
  /// Throws if the file is missing, is not a regular file, or has more than `limit` bytes.
  virtual FileBytes read(const std::string& file, size_t limit = SIZE_MAX) const = 0;
  virtual uint64_t file_size(const std::string& file) const = 0;
  /// Reads a range of a file that may not fit in memory. Throws like read(), and if the range
  /// extends beyond the end of the file.
  virtual FileBytes read_range(const std::string& file, uint64_t offset, size_t size) const = 0;
  /// Identifier that changes with the file: location, size, modification time. Used in cache keys.
  virtual std::string content_id(const std::string& file) const = 0;
};

using FileTreePtr = std::shared_ptr<const FileTree>;

struct FileTreeOptions {
  /// Decompressed archive contents are kept in memory up to this many bytes, the rest in a
  /// temporary file.
  size_t memory_budget = size_t{1} << 30;
  std::filesystem::path spool_folder = {};  ///< default: the system's temporary folder
};

/// Opens a folder, or an archive (tar or zip, optionally compressed; detected by content). Never
/// writes files under names taken from an archive. Throws if `root` is neither.
FileTreePtr open_file_tree(const std::filesystem::path& root, const FileTreeOptions& options = {});

/// Returns the subtree below a folder. Throws if the folder does not exist.
FileTreePtr subtree(FileTreePtr tree, const std::string& folder);

/// True for archive extensions: .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz, .tar.zst and .zip.
bool is_archive_name(const std::filesystem::path& path);

/// A folder on disk. Links to files are followed. Links to folders count as folders unless they
/// point to one of their own ancestors; `files_below` does not descend into them, so that it
/// terminates. Special files are listed as files, so that reading them reports an error instead of
/// skipping them silently.
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
  /// Returns the path of a name on disk; throws if it escapes the root.
  std::filesystem::path path_of(const std::string& name) const;

  std::filesystem::path root_;
  std::string name_;
};

}  // namespace projnce::io
