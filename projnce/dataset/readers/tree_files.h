#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// Path of a file of a tree for messages: the tree's name joined with the printable file name.
std::string display_path(const io::FileTree& tree, const std::string& file);

/// Returns the subtree of the folder nearest to the root that `fits`: the root or at most three
/// levels below, since archives and downloads often add enclosing folders. Null if there is none.
/// Folders with very many subfolders are not searched: those are classes.
io::FileTreePtr find_subtree(const io::FileTreePtr& tree,
                             const std::function<bool(const std::string& folder)>& fits);

/// As above, for the folder that contains all of `files`.
io::FileTreePtr find_subtree_with(const io::FileTreePtr& tree,
                                  const std::vector<std::string>& files);

/// True for a single path component: not empty, ".", ".." and without '/'.
bool is_plain_name(const std::string& name);

/// Lines of a small text file: names, lists, annotations.
struct TextList {
  std::string name;                // file name for messages
  std::vector<std::string> lines;  // without line breaks and trailing spaces

  /// Location of a line (index from 0) in messages: "data/wnids.txt:3" for line 2.
  std::string location(size_t line) const { return name + ":" + std::to_string(line + 1); }
};

/// Reads a text file with LF or CR LF line breaks; trailing blank lines are dropped, others are "".
/// Throws if the file is missing, larger than 64 MiB, or contains a NUL byte.
TextList read_text_list(const io::FileTree& tree, const std::string& file);

/// Reads printable names, one per line; blank lines are skipped. Throws unless there are `expected`
/// names (0: at least one), all different.
std::vector<std::string> read_name_list(const io::FileTree& tree, const std::string& file,
                                        size_t expected = 0);

/// Splits a line at the separators; a line without separators is a single field.
std::vector<std::string> split_line(std::string_view line, char separator);

}  // namespace projnce::dataset
