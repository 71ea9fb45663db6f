#pragma once

#include <filesystem>
#include <string>

#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// Formats the result as a self-contained HTML file with its charts. Links to the config.toml of
/// the runs are relative to `folder`, the location of the file.
std::string result_html(const Result& result, const std::filesystem::path& folder);

}  // namespace projnce::reproduce
