#include "projnce/dataset/layout.h"

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"

namespace projnce {

namespace {

constexpr int kDeepestLayout = 3;
constexpr size_t kMostFoldersAround = 64;
constexpr size_t kMostFoldersSearched = 5000;  // links between folders can make few look like many

/// None where the folder cannot be listed: what is looked for may be elsewhere.
std::vector<std::string> folders_in(const FileTree& tree, const std::string& folder) {
  try {
    return tree.subfolders(folder);
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    return {};
  }
}

}  // namespace

std::string place_in(const FileTree& tree, const std::string& file) {
  return join_names(tree.name(), printable(file));
}

FileTreePtr find_subtree(const FileTreePtr& tree,
                         const std::function<bool(const std::string& folder)>& fits) {
  std::vector<std::string> level = {""};
  for (int depth = 0; depth <= kDeepestLayout; ++depth) {
    for (const auto& folder : level) {
      if (fits(folder)) return folder.empty() ? tree : subtree(tree, folder);
    }
    if (depth == kDeepestLayout) break;
    std::vector<std::string> next;
    for (const auto& folder : level) {
      const auto names = folders_in(*tree, folder);
      if (names.size() > kMostFoldersAround || next.size() > kMostFoldersSearched) continue;
      for (const auto& name : names) next.push_back(join_names(folder, name));
    }
    level = std::move(next);
  }
  return nullptr;
}

FileTreePtr find_subtree_with(const FileTreePtr& tree, const std::vector<std::string>& files) {
  return find_subtree(tree, [&](const std::string& folder) {
    return std::all_of(files.begin(), files.end(), [&](const std::string& file) {
      return tree->has_file(join_names(folder, file));
    });
  });
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace projnce
