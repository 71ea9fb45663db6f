#pragma once

#include <filesystem>
#include <string>

#include "projnce/reproduce/result.h"

namespace projnce {

/// The result as one HTML page that needs nothing else. `folder` is where the page will stand:
/// links to the runs' config.toml go from there.
std::string result_page(const Result& result, const std::filesystem::path& folder);

}  // namespace projnce
