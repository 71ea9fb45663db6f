#include "projnce/io/file_tree.h"

#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/archive_tree.h"
#include "projnce/io/folder_tree.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"

namespace projnce {

namespace {

/// Passes every question on to a larger tree.
class Subtree : public FileTree {
 public:
  Subtree(FileTreePtr tree, std::string folder)
      : tree_(std::move(tree)),
        folder_(std::move(folder)),
        name_(join_names(tree_->name(), printable(folder_))) {}

  const std::string& name() const override { return name_; }
  std::string remark() const override { return tree_->remark(); }
  bool has_file(const std::string& file) const override {
    return normal_name(file) && tree_->has_file(join_names(folder_, file));
  }
  bool has_folder(const std::string& folder) const override {
    return normal_name(folder) && tree_->has_folder(join_names(folder_, folder));
  }
  std::vector<std::string> subfolders(const std::string& folder) const override {
    return tree_->subfolders(whole_name(folder));
  }
  std::vector<std::string> files_below(const std::string& folder,
                                       const std::vector<std::string>& extensions) const override {
    return tree_->files_below(whole_name(folder), extensions);
  }
  FileBytes read(const std::string& file, size_t limit) const override {
    return tree_->read(whole_name(file), limit);
  }
  uint64_t file_size(const std::string& file) const override {
    return tree_->file_size(whole_name(file));
  }
  FileBytes read_range(const std::string& file, uint64_t offset, size_t size) const override {
    return tree_->read_range(whole_name(file), offset, size);
  }
  std::string content_id(const std::string& file) const override {
    return tree_->content_id(whole_name(file));
  }

 private:
  /// Joined to a folder, an absolute name would no longer look like one.
  std::string whole_name(const std::string& name) const {
    if (!normal_name(name)) fail(name_, " has no file ", printable(name));
    return join_names(folder_, name);
  }

  FileTreePtr tree_;
  std::string folder_;
  std::string name_;
};

}  // namespace

FileTreePtr open_file_tree(const std::filesystem::path& root, const FileTreeOptions& options) {
  std::error_code ignored;  // what cannot be examined cannot be opened, and that says why
  if (std::filesystem::is_directory(root, ignored)) return std::make_shared<FolderTree>(root);
  return std::make_shared<ArchiveTree>(root, options);
}

FileTreePtr subtree(FileTreePtr tree, const std::string& folder) {
  const auto normal = normal_name(folder);
  if (!normal || !tree->has_folder(*normal)) {
    fail(tree->name(), " has no folder ", printable(folder));
  }
  if (normal->empty()) return tree;
  return std::make_shared<Subtree>(std::move(tree), *normal);
}

bool is_archive_name(const std::filesystem::path& path) {
  static const std::vector<std::string> kEndings = {".tar",    ".tar.gz",  ".tgz", ".tar.bz2",
                                                    ".tar.xz", ".tar.zst", ".zip"};
  return has_extension(path.filename().native(), kEndings);
}

}  // namespace projnce
