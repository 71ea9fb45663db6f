#include "projnce/dataset/folder_scan.h"

#include <algorithm>
#include <system_error>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

bool hidden(const fs::path& path) {
  return path.filename().native().starts_with('.');
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

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

std::vector<std::string> subfolders(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!hidden(it->path()) && is_folder(*it) && !leads_back(*it, folder)) {
      names.push_back(it->path().filename());
    }
  }
  if (error) fail_listing(folder, error);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> files_below(const fs::path& folder,
                                     const std::vector<std::string>& extensions) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (hidden(it->path())) {
      it.disable_recursion_pending();
    } else if (!is_folder(*it)) {
      const auto extension = lower_case(it->path().extension());
      const bool wanted = std::count(extensions.begin(), extensions.end(), extension) > 0;
      if (wanted) files.push_back(it->path().lexically_relative(folder));
    }
  }
  if (error) fail_listing(folder, error);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace projnce
