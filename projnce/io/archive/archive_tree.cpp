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
  const auto& place = (error ? path : absolute).native();
  // Lengths before texts: a name may hold any character.
  id_ = concat(file.size, " ", file.changed_ns, " ", place.size(), " ", place, " ");
  archive_ = scan_archive(std::move(file), options);
}

const MemberPlace& ArchiveTree::place_of(const std::string& file) const {
  const auto normal = normal_name(file);
  const auto* place = normal ? archive_.index.find(*normal) : nullptr;
  if (place == nullptr) fail(name_, " has no file ", printable(file));
  return *place;
}

std::string ArchiveTree::folder_called(const std::string& folder) const {
  auto normal = normal_name(folder);
  if (!normal || !archive_.index.has_folder(*normal)) {
    fail(name_, " has no folder ", printable(folder));
  }
  return *normal;
}

bool ArchiveTree::has_file(const std::string& file) const {
  const auto normal = normal_name(file);
  return normal && archive_.index.find(*normal) != nullptr;
}

bool ArchiveTree::has_folder(const std::string& folder) const {
  const auto normal = normal_name(folder);
  return normal && archive_.index.has_folder(*normal);
}

std::vector<std::string> ArchiveTree::subfolders(const std::string& folder) const {
  return archive_.index.subfolders(folder_called(folder));
}

std::vector<std::string> ArchiveTree::files_below(
    const std::string& folder, const std::vector<std::string>& extensions) const {
  return archive_.index.files_below(folder_called(folder), extensions);
}

FileBytes ArchiveTree::read(const std::string& file, size_t limit) const {
  const auto& place = place_of(file);
  const auto full_name = join_names(name_, printable(file));
  if (place.size > limit) {
    fail(full_name, " has ", place.size, " bytes, expected at most ", limit);
  }
  auto bytes = allocate_file_bytes(place.size, full_name);
  archive_.contents->read(place.offset, bytes.span());
  return bytes;
}

uint64_t ArchiveTree::file_size(const std::string& file) const {
  return place_of(file).size;
}

FileBytes ArchiveTree::read_range(const std::string& file, uint64_t offset, size_t size) const {
  const auto& place = place_of(file);
  const auto full_name = join_names(name_, printable(file));
  check_range(offset, size, place.size, full_name);
  auto bytes = allocate_file_bytes(size, full_name);
  archive_.contents->read(place.offset + offset, bytes.span());
  return bytes;
}

std::string ArchiveTree::content_id(const std::string& file) const {
  place_of(file);
  return id_ + normal_name(file).value();
}

}  // namespace projnce::io
