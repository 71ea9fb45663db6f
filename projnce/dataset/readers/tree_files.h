#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// What messages call a file of a tree: the tree's name and the file's, printable.
std::string place_in(const io::FileTree& tree, const std::string& file);

/// The tree below the folder nearest to the root that `fits`: the root itself or at most three
/// levels down, since archives and downloads come with folders around them. Null where there is
/// none. Folders with very many sub-folders are not searched: those are classes.
io::FileTreePtr find_subtree(const io::FileTreePtr& tree,
                             const std::function<bool(const std::string& folder)>& fits);

/// The same for the folder that holds all of `files`.
io::FileTreePtr find_subtree_with(const io::FileTreePtr& tree,
                                  const std::vector<std::string>& files);

/// True for a name that is one step of a path: not empty, ".", "..", nor with '/' in it.
bool is_plain_name(const std::string& name);

/// A small text file: names, lists, annotations.
struct TextList {
  std::string name;                // of the file, for messages
  std::vector<std::string> lines;  // without line ends and the spaces before them

  /// "data/wnids.txt:3" for line 2, which people count as the third.
  std::string place(size_t line) const { return name + ":" + std::to_string(line + 1); }
};

/// Reads a text file with LF or CR LF; blank lines at the end are left out, others are "". Throws
/// where the file is missing, larger than 64 MiB or holds a zero byte.
TextList read_text_list(const io::FileTree& tree, const std::string& file);

/// The names in a text file, one in each line, printable; blank lines are skipped. Throws where
/// there are not `expected` of them (0: any number but none) or a name is there twice.
std::vector<std::string> read_name_list(const io::FileTree& tree, const std::string& file,
                                        size_t expected = 0);

/// The pieces of a line between separators; a line without separators is one piece.
std::vector<std::string> split_line(std::string_view line, char separator);

}  // namespace projnce::dataset
