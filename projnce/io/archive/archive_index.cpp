#include "projnce/io/archive/archive_scan.h"

#include <algorithm>

#include "projnce/io/filesystem/file_tree.h"

namespace projnce::io {

namespace {

/// Common prefix of the names of everything below a folder.
std::string folder_prefix(std::string_view folder) {
  return folder.empty() ? std::string() : std::string(folder) + '/';
}

}  // namespace

MemberExtent ArchiveIndex::append_name(std::string_view name) {
  const MemberExtent place{names_.size(), name.size()};
  names_ += name;
  return place;
}

std::string_view ArchiveIndex::text(MemberExtent place) const {
  return std::string_view(names_).substr(place.offset, place.size);
}

std::string_view ArchiveIndex::name_of(const Entry& entry) const {
  return text({entry.name_offset, entry.name_size});
}

void ArchiveIndex::add(std::string_view name, Kind kind, MemberExtent place) {
  const auto kept = append_name(name);
  entries_.push_back({kept.offset, static_cast<uint32_t>(kept.size), kind, place});
}

void ArchiveIndex::add_file(std::string_view name, MemberExtent place) {
  add(name, Kind::kFile, place);
}

void ArchiveIndex::add_folder(std::string_view name) {
  add(folder_prefix(name), Kind::kFolder, {});
}

void ArchiveIndex::add_link(std::string_view name, std::string_view target) {
  if (name != target) add(name, Kind::kLink, append_name(target));
}

void ArchiveIndex::remove_overridden_entries() {
  const auto before = [this](const Entry& a, const Entry& b) { return name_of(a) < name_of(b); };
  const auto same = [this](const Entry& a, const Entry& b) { return name_of(a) == name_of(b); };
  std::stable_sort(entries_.begin(), entries_.end(), before);
  // In reverse, since std::unique retains the first of each group.
  const auto kept = std::unique(entries_.rbegin(), entries_.rend(), same).base();
  entries_.erase(entries_.begin(), kept);
  entries_.shrink_to_fit();
  names_.shrink_to_fit();
}

size_t ArchiveIndex::finish() {
  remove_overridden_entries();
  for (auto& entry : entries_) {
    const auto* target = entry.kind == Kind::kLink ? resolve_link(entry) : nullptr;
    if (target == nullptr) continue;
    entry.place = target->place;
    entry.kind = Kind::kFile;
  }
  const size_t broken =
      std::erase_if(entries_, [](const Entry& entry) { return entry.kind == Kind::kLink; });
  const auto is_file = [](const Entry& entry) { return entry.kind == Kind::kFile; };
  files_ = static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(), is_file));
  return broken;
}

const ArchiveIndex::Entry* ArchiveIndex::resolve_link(const Entry& link) const {
  constexpr int kMaxSteps = 8;  // links to links are rare and may be circular
  const Entry* entry = &link;
  for (int step = 0; step < kMaxSteps && entry != nullptr; ++step) {
    entry = find_entry(text(entry->place));
    if (entry != nullptr && entry->kind == Kind::kFile) return entry;
  }
  return nullptr;
}

ArchiveIndex::Iterator ArchiveIndex::lower_bound(std::string_view name) const {
  return std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [this](const Entry& entry, std::string_view value) { return name_of(entry) < value; });
}

const ArchiveIndex::Entry* ArchiveIndex::find_entry(std::string_view name) const {
  const auto found = lower_bound(name);
  return found != entries_.end() && name_of(*found) == name ? &*found : nullptr;
}

const MemberExtent* ArchiveIndex::find(std::string_view name) const {
  const auto* entry = find_entry(name);
  return entry != nullptr && entry->kind == Kind::kFile ? &entry->place : nullptr;
}

bool ArchiveIndex::has_folder(std::string_view folder) const {
  const auto prefix = folder_prefix(folder);
  const auto found = lower_bound(prefix);
  return folder.empty() || (found != entries_.end() && name_of(*found).starts_with(prefix));
}

std::vector<std::string> ArchiveIndex::subfolders(std::string_view folder) const {
  const auto prefix = folder_prefix(folder);
  std::vector<std::string> folders;
  for (auto it = lower_bound(prefix); it != entries_.end() && name_of(*it).starts_with(prefix);) {
    const auto rest = name_of(*it).substr(prefix.size());
    const auto slash = rest.find('/');
    if (slash == std::string_view::npos || slash == 0) {
      ++it;
      continue;
    }
    const auto part = rest.substr(0, slash);
    if (!is_hidden_part(part)) folders.emplace_back(part);
    // Skip everything in that folder: '0' is the character after '/'.
    it = lower_bound(prefix + std::string(part) + '0');
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<std::string> ArchiveIndex::files_below(
    std::string_view folder, const std::vector<std::string>& extensions) const {
  const auto prefix = folder_prefix(folder);
  std::vector<std::string> files;
  for (auto it = lower_bound(prefix); it != entries_.end(); ++it) {
    const auto name = name_of(*it);
    if (!name.starts_with(prefix)) break;
    const auto rest = name.substr(prefix.size());
    const bool wanted = it->kind == Kind::kFile && has_extension(rest, extensions);
    if (wanted && !is_hidden_name(rest)) files.emplace_back(rest);
  }
  return files;
}

}  // namespace projnce::io
