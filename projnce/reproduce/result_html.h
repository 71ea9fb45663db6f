#pragma once

#include <filesystem>
#include <string>

#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// The result as a self-contained HTML file with its charts inside. `folder` is where the file
/// will be: links to the runs' config.toml start there.
std::string result_html(const Result& result, const std::filesystem::path& folder);

}  // namespace projnce::reproduce
