#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace projnce {

/// The sub-folders of `folder`, or links to folders, sorted by name. Hidden ones are left out, and
/// so are links that lead back to `folder` or above it. Throws where `folder` cannot be listed.
std::vector<std::string> subfolders(const std::filesystem::path& folder);

/// The files below `folder` whose names end in one of `extensions` (lower case; the files' case
/// does not matter), relative to it, sorted. Goes down into sub-folders but not through links to
/// folders, so that it ends. Hidden files and folders are left out. What is no regular file is
/// listed too: reading it tells the user, leaving it out would not.
std::vector<std::string> files_below(const std::filesystem::path& folder,
                                     const std::vector<std::string>& extensions);

}  // namespace projnce
