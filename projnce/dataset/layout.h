#pragma once

#include <functional>
#include <string>
#include <vector>

#include "projnce/io/file_tree.h"

namespace projnce {

/// What messages call a file of a tree: the tree's name and the file's, printable.
std::string place_in(const FileTree& tree, const std::string& file);

/// The tree below the folder nearest to the root that `fits`: the root itself or at most three
/// levels down, since archives and downloads come with folders around them. Null where there is
/// none. Folders with very many sub-folders are not searched: those are classes.
FileTreePtr find_subtree(const FileTreePtr& tree,
                         const std::function<bool(const std::string& folder)>& fits);

/// The same for the folder that holds all of `files`.
FileTreePtr find_subtree_with(const FileTreePtr& tree, const std::vector<std::string>& files);

/// True for a name that is one step of a path: not empty, ".", "..", nor with '/' in it.
bool is_plain_name(const std::string& name);

}  // namespace projnce
