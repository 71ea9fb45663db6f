#include "projnce/io/archive/archive_tree.h"

#include <system_error>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::io {

ArchiveTree::ArchiveTree(const std::filesystem::path& path, const FileTreeOptions& options) {
  auto file = open_regular_file(path);
  name_ = file.name;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const auto& location = (error ? path : absolute).native();
  // Length prefix, since a name may contain any character.
  id_ = concat(file.size, " ", file.changed_ns, " ", location.size(), " ", location, " ");
  archive_ = scan_archive(std::move(file), options);
}

const MemberExtent& ArchiveTree::find_member(const std::string& file) const {
  const auto normal = normalize_name(file);
  const auto* extent = normal ? archive_.index.find(*normal) : nullptr;
  if (extent == nullptr) fail(name_, " has no file ", printable(file));
  return *extent;
}

std::string ArchiveTree::find_folder(const std::string& folder) const {
  auto normal = normalize_name(folder);
  if (!normal || !archive_.index.has_folder(*normal)) {
    fail(name_, " has no folder ", printable(folder));
  }
  return *normal;
}

bool ArchiveTree::has_file(const std::string& file) const {
  const auto normal = normalize_name(file);
  return normal && archive_.index.find(*normal) != nullptr;
}

bool ArchiveTree::has_folder(const std::string& folder) const {
  const auto normal = normalize_name(folder);
  return normal && archive_.index.has_folder(*normal);
}

std::vector<std::string> ArchiveTree::subfolders(const std::string& folder) const {
  return archive_.index.subfolders(find_folder(folder));
}

std::vector<std::string> ArchiveTree::files_below(
    const std::string& folder, const std::vector<std::string>& extensions) const {
  return archive_.index.files_below(find_folder(folder), extensions);
}

FileBytes ArchiveTree::read(const std::string& file, size_t limit) const {
  const auto& extent = find_member(file);
  const auto full_name = join_names(name_, printable(file));
  if (extent.size > limit) {
    fail(full_name, " has ", extent.size, " bytes, expected at most ", limit);
  }
  auto bytes = allocate_file_bytes(extent.size, full_name);
  archive_.contents->read(extent.offset, bytes.span());
  return bytes;
}

uint64_t ArchiveTree::file_size(const std::string& file) const {
  return find_member(file).size;
}

FileBytes ArchiveTree::read_range(const std::string& file, uint64_t offset, size_t size) const {
  const auto& extent = find_member(file);
  const auto full_name = join_names(name_, printable(file));
  check_range(offset, size, extent.size, full_name);
  auto bytes = allocate_file_bytes(size, full_name);
  archive_.contents->read(extent.offset + offset, bytes.span());
  return bytes;
}

std::string ArchiveTree::content_id(const std::string& file) const {
  find_member(file);
  return id_ + normalize_name(file).value();
}

}  // namespace projnce::io
