#pragma once

#include <string>
#include <vector>

#include "projnce/io/file_tree.h"

namespace projnce {

/// True for "n01440764": how ImageNet calls its classes.
bool is_wnid(const std::string& name);

/// What classes are called, out of lines such as "n01440764 tench, Tinca tinca" (a tab or a space
/// between): the first of the names, or the wnid where the file has none for it. Classes of one
/// name have their wnids behind it.
std::vector<std::string> read_wordnet_names(const FileTree& tree, const std::string& file,
                                            const std::vector<std::string>& wnids);

}  // namespace projnce
