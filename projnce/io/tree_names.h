#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace projnce {

// Names of files in a FileTree: relative, '/' between folders, "" is the root.

/// `name` without what says nothing ("./", "a//b", a '/' at the end). Nothing where it is absolute,
/// has a ".." among its parts, or a NUL: such names lead out of the tree or cannot be of a file.
std::optional<std::string> normal_name(std::string_view name);

/// "a" and "b" give "a/b"; an empty one gives the other.
std::string join_names(std::string_view folder, std::string_view name);

/// True for the last part of a name that lists leave out: a leading '.', __MACOSX.
bool is_hidden_part(std::string_view part);

/// True where a part of the normal name is hidden.
bool is_hidden_name(std::string_view name);

/// True where `name` ends in one of `extensions`, which are lower case; its own case does not
/// matter. None asked for: true.
bool has_extension(std::string_view name, const std::vector<std::string>& extensions);

}  // namespace projnce
