#include "projnce/io/folder_tree.h"

#include <algorithm>
#include <system_error>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::directory_entry& entry) {
  std::error_code ignored;  // links in a circle are no folders
  return entry.is_directory(ignored);
}

/// True where `entry` is a link to `folder` or to a folder above it.
bool leads_back(const fs::directory_entry& entry, const fs::path& folder) {
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

fs::path FolderTree::place_of(const std::string& name) const {
  const auto normal = normal_name(name);
  if (!normal) fail(name_, ": \"", printable(name), "\" is no name of a file in this folder");
  return normal->empty() ? root_ : root_ / *normal;
}

bool FolderTree::has_file(const std::string& file) const {
  const auto normal = normal_name(file);
  if (!normal || normal->empty()) return false;
  std::error_code error;
  const auto status = fs::status(root_ / *normal, error);
  return fs::exists(status) && !fs::is_directory(status);
}

bool FolderTree::has_folder(const std::string& folder) const {
  const auto normal = normal_name(folder);
  std::error_code error;
  return normal && fs::is_directory(normal->empty() ? root_ : root_ / *normal, error);
}

std::vector<std::string> FolderTree::subfolders(const std::string& folder) const {
  const auto place = place_of(folder);
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    auto name = it->path().filename().native();
    if (!is_hidden_part(name) && is_folder(*it) && !leads_back(*it, place)) {
      names.push_back(std::move(name));
    }
  }
  if (error) fail_listing(place, error);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> FolderTree::files_below(const std::string& folder,
                                                 const std::vector<std::string>& extensions) const {
  const auto place = place_of(folder);
  const size_t prefix = (place / "").native().size();
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(place, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    const auto& path = it->path();
    if (is_hidden_part(path.filename().native())) {
      it.disable_recursion_pending();
    } else if (has_extension(path.native(), extensions) && !is_folder(*it)) {
      files.push_back(path.native().substr(prefix));
    }
  }
  if (error) fail_listing(place, error);
  std::sort(files.begin(), files.end());
  return files;
}

FileBytes FolderTree::read(const std::string& file, size_t limit) const {
  return read_regular_file(place_of(file), limit);
}

uint64_t FolderTree::file_size(const std::string& file) const {
  return open_regular_file(place_of(file)).size;
}

FileBytes FolderTree::read_range(const std::string& file, uint64_t offset, size_t size) const {
  const auto opened = open_regular_file(place_of(file));
  check_range(offset, size, opened.size, opened.name);
  auto bytes = allocate_file_bytes(size, opened.name);
  if (opened.read_at(offset, bytes.span()) != size) {
    fail_working(opened.name, " became shorter while it was read");
  }
  return bytes;
}

std::string FolderTree::content_id(const std::string& file) const {
  const auto place = place_of(file);
  const auto opened = open_regular_file(place);
  std::error_code error;
  const auto absolute = fs::absolute(place, error).lexically_normal();  // run/../photos is photos
  // Numbers first: a name may hold any character.
  return concat(opened.size, " ", opened.changed_ns, " ", (error ? place : absolute).native());
}

}  // namespace projnce
