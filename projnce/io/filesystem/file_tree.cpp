#include "projnce/io/filesystem/file_tree.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/archive/archive_tree.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

/// Removes the first path component from `name` and returns it.
std::string_view pop_component(std::string_view& name) {
  const auto part = name.substr(0, name.find('/'));
  name.remove_prefix(std::min(part.size() + 1, name.size()));
  return part;
}

bool ends_with_ignoring_case(std::string_view name, std::string_view lowercase_suffix) {
  if (name.size() < lowercase_suffix.size()) return false;
  const auto same = [](char c, char lower) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == lower;
  };
  name.remove_prefix(name.size() - lowercase_suffix.size());
  return std::equal(name.begin(), name.end(), lowercase_suffix.begin(), same);
}

}  // namespace

std::optional<std::string> normalize_name(std::string_view name) {
  if (name.starts_with('/') || name.find('\0') != std::string_view::npos) return {};
  std::string normalized;
  normalized.reserve(name.size());
  while (!name.empty()) {
    const auto part = pop_component(name);
    if (part == "..") return {};
    if (part.empty() || part == ".") continue;
    if (!normalized.empty()) normalized += '/';
    normalized += part;
  }
  return normalized;
}

std::string join_names(std::string_view folder, std::string_view name) {
  std::string joined(folder);
  if (!folder.empty() && !name.empty()) joined += '/';
  return joined += name;
}

bool is_hidden_part(std::string_view part) {
  return part.starts_with('.') || part == "__MACOSX";
}

bool is_hidden_name(std::string_view name) {
  while (!name.empty()) {
    if (is_hidden_part(pop_component(name))) return true;
  }
  return false;
}

bool has_extension(std::string_view name, const std::vector<std::string>& extensions) {
  return extensions.empty() ||
         std::any_of(extensions.begin(), extensions.end(), [&](const std::string& extension) {
           return ends_with_ignoring_case(name, extension);
         });
}

namespace {

/// Delegates to a larger tree.
class Subtree : public FileTree {
 public:
  Subtree(FileTreePtr tree, std::string folder)
      : tree_(std::move(tree)),
        folder_(std::move(folder)),
        name_(join_names(tree_->name(), printable(folder_))) {}

  const std::string& name() const override { return name_; }
  std::string remark() const override { return tree_->remark(); }
  bool has_file(const std::string& file) const override {
    return normalize_name(file) && tree_->has_file(join_names(folder_, file));
  }
  bool has_folder(const std::string& folder) const override {
    return normalize_name(folder) && tree_->has_folder(join_names(folder_, folder));
  }
  std::vector<std::string> subfolders(const std::string& folder) const override {
    return tree_->subfolders(full_name(folder));
  }
  std::vector<std::string> files_below(const std::string& folder,
                                       const std::vector<std::string>& extensions) const override {
    return tree_->files_below(full_name(folder), extensions);
  }
  FileBytes read(const std::string& file, size_t limit) const override {
    return tree_->read(full_name(file), limit);
  }
  uint64_t file_size(const std::string& file) const override {
    return tree_->file_size(full_name(file));
  }
  FileBytes read_range(const std::string& file, uint64_t offset, size_t size) const override {
    return tree_->read_range(full_name(file), offset, size);
  }
  std::string content_id(const std::string& file) const override {
    return tree_->content_id(full_name(file));
  }

 private:
  /// Rejects invalid names before joining: joined to a folder, an absolute name would look
  /// relative.
  std::string full_name(const std::string& name) const {
    if (!normalize_name(name)) fail(name_, " has no file ", printable(name));
    return join_names(folder_, name);
  }

  FileTreePtr tree_;
  std::string folder_;
  std::string name_;
};

}  // namespace

FileTreePtr open_file_tree(const std::filesystem::path& root, const FileTreeOptions& options) {
  std::error_code ignored;  // errors are reported when opening the archive
  if (std::filesystem::is_directory(root, ignored)) return std::make_shared<FolderTree>(root);
  return std::make_shared<ArchiveTree>(root, options);
}

FileTreePtr subtree(FileTreePtr tree, const std::string& folder) {
  const auto normalized = normalize_name(folder);
  if (!normalized || !tree->has_folder(*normalized)) {
    fail(tree->name(), " has no folder ", printable(folder));
  }
  if (normalized->empty()) return tree;
  return std::make_shared<Subtree>(std::move(tree), *normalized);
}

bool is_archive_name(const std::filesystem::path& path) {
  static const std::vector<std::string> kEndings = {".tar",    ".tar.gz",  ".tgz", ".tar.bz2",
                                                    ".tar.xz", ".tar.zst", ".zip"};
  return has_extension(path.filename().native(), kEndings);
}

namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::directory_entry& entry) {
  std::error_code ignored;  // circular links are not folders
  return entry.is_directory(ignored);
}

/// True if `entry` is a link to `folder` or one of its ancestors.
bool is_circular_link(const fs::directory_entry& entry, const fs::path& folder) {
  std::error_code error;
  if (!entry.is_symlink(error)) return false;
  const auto target = fs::canonical(entry.path(), error);
  const auto here = fs::canonical(folder, error);
  return error || std::mismatch(target.begin(), target.end(), here.begin(), here.end()).first ==
                      target.end();
}

[[noreturn]] void fail_listing(const fs::path& folder, const std::error_code& error) {
  fail("folder ", printable(folder.native()), " cannot be listed: ", error.message());
}

}  // namespace

FolderTree::FolderTree(const fs::path& root) : root_(root), name_(printable(root.native())) {}

fs::path FolderTree::path_of(const std::string& name) const {
  const auto normalized = normalize_name(name);
  if (!normalized)
    fail(name_, ": \"", printable(name), "\" is not a valid file name in this folder");
  return normalized->empty() ? root_ : root_ / *normalized;
}

bool FolderTree::has_file(const std::string& file) const {
  const auto normalized = normalize_name(file);
  if (!normalized || normalized->empty()) return false;
  std::error_code error;
  const auto status = fs::status(root_ / *normalized, error);
  return fs::exists(status) && !fs::is_directory(status);
}

bool FolderTree::has_folder(const std::string& folder) const {
  const auto normalized = normalize_name(folder);
  std::error_code error;
  return normalized && fs::is_directory(normalized->empty() ? root_ : root_ / *normalized, error);
}

std::vector<std::string> FolderTree::subfolders(const std::string& folder) const {
  const auto path = path_of(folder);
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    auto name = it->path().filename().native();
    if (!is_hidden_part(name) && is_folder(*it) && !is_circular_link(*it, path)) {
      names.push_back(std::move(name));
    }
  }
  if (error) fail_listing(path, error);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> FolderTree::files_below(const std::string& folder,
                                                 const std::vector<std::string>& extensions) const {
  const auto base = path_of(folder);
  const size_t prefix = (base / "").native().size();
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(base, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    const auto& path = it->path();
    if (is_hidden_part(path.filename().native())) {
      it.disable_recursion_pending();
    } else if (has_extension(path.native(), extensions) && !is_folder(*it)) {
      files.push_back(path.native().substr(prefix));
    }
  }
  if (error) fail_listing(base, error);
  std::sort(files.begin(), files.end());
  return files;
}

FileBytes FolderTree::read(const std::string& file, size_t limit) const {
  return read_regular_file(path_of(file), limit);
}

uint64_t FolderTree::file_size(const std::string& file) const {
  return open_regular_file(path_of(file)).size;
}

FileBytes FolderTree::read_range(const std::string& file, uint64_t offset, size_t size) const {
  const auto opened = open_regular_file(path_of(file));
  check_range(offset, size, opened.size, opened.name);
  auto bytes = allocate_file_bytes(size, opened.name);
  if (opened.read_at(offset, bytes.span()) != size) {
    fail_runtime(opened.name, " was truncated while being read");
  }
  return bytes;
}

std::string FolderTree::content_id(const std::string& file) const {
  const auto path = path_of(file);
  const auto opened = open_regular_file(path);
  std::error_code error;
  const auto absolute = fs::absolute(path, error).lexically_normal();  // run/../photos -> photos
  // Numbers first, since a name may contain any character.
  return concat(opened.size, " ", opened.changed_ns, " ", (error ? path : absolute).native());
}

}  // namespace projnce::io
