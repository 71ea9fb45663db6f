#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace projnce {

/// The most important results of a page's runs (PageData of web/src/model.ts) as plain HTML, for
/// browsers that do not run the page's script and for scripts that fail. What the data lacks, or
/// has in another form than expected, is left out.
std::string page_numbers(const nlohmann::ordered_json& data);

}  // namespace projnce
