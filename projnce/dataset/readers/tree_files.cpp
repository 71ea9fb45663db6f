#include "projnce/dataset/readers/tree_files.h"

#include <algorithm>
#include <unordered_set>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

constexpr int kMaxDepth = 3;
constexpr size_t kMaxSubfolders = 64;
constexpr size_t kMaxSearchedFolders = 5000;  // links between folders can multiply them

/// Subfolders; none if the folder cannot be listed, since the search may succeed elsewhere.
std::vector<std::string> list_subfolders(const io::FileTree& tree, const std::string& folder) {
  try {
    return tree.subfolders(folder);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return {};
  }
}

}  // namespace

std::string display_path(const io::FileTree& tree, const std::string& file) {
  return io::join_names(tree.name(), io::printable(file));
}

io::FileTreePtr find_subtree(const io::FileTreePtr& tree,
                             const std::function<bool(const std::string& folder)>& fits) {
  std::vector<std::string> level = {""};
  for (int depth = 0; depth <= kMaxDepth; ++depth) {
    for (const auto& folder : level) {
      if (fits(folder)) return folder.empty() ? tree : io::subtree(tree, folder);
    }
    if (depth == kMaxDepth) break;
    std::vector<std::string> next;
    for (const auto& folder : level) {
      const auto names = list_subfolders(*tree, folder);
      if (names.size() > kMaxSubfolders || next.size() > kMaxSearchedFolders) continue;
      for (const auto& name : names) next.push_back(io::join_names(folder, name));
    }
    level = std::move(next);
  }
  return nullptr;
}

io::FileTreePtr find_subtree_with(const io::FileTreePtr& tree,
                                  const std::vector<std::string>& files) {
  return find_subtree(tree, [&](const std::string& folder) {
    return std::all_of(files.begin(), files.end(), [&](const std::string& file) {
      return tree->has_file(io::join_names(folder, file));
    });
  });
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

namespace {

constexpr size_t kMaxTextBytes = size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trim_end(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view{} : line.substr(0, last + 1);
}

}  // namespace

std::vector<std::string> split_line(std::string_view line, char separator) {
  std::vector<std::string> fields;
  for (;;) {
    const auto end = line.find(separator);
    fields.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

TextList read_text_list(const io::FileTree& tree, const std::string& file) {
  TextList list{display_path(tree, file), {}};
  const auto bytes = tree.read(file, kMaxTextBytes);
  auto text = io::as_text(bytes.span());
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    if (line.find('\0') != std::string_view::npos) {
      fail(list.location(list.lines.size()), " contains a NUL byte, expected text");
    }
    list.lines.emplace_back(trim_end(line));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  while (!list.lines.empty() && list.lines.back().empty()) list.lines.pop_back();
  return list;
}

std::vector<std::string> read_name_list(const io::FileTree& tree, const std::string& file,
                                        size_t expected) {
  const auto list = read_text_list(tree, file);
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < list.lines.size(); ++i) {
    const auto& line = list.lines[i];
    if (line.empty()) continue;
    names.push_back(io::printable(line));
    if (!seen.insert(line).second) {
      fail(list.location(i), " repeats the name '", names.back(), "', expected unique names");
    }
  }
  if (names.empty()) fail(list.name, " contains no names");
  if (expected != 0 && names.size() != expected) {
    fail(list.name, " contains ", counted(names.size(), "name"), ", expected ", expected);
  }
  return names;
}

}  // namespace projnce::dataset
