#pragma once

#include "projnce/io/file_tree.h"

namespace projnce {

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

}  // namespace projnce
