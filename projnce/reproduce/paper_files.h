#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace projnce {

/// The text of experiments/paper/NAME.toml, which is part of the program. REQUIRES: there is one.
std::string_view paper_file(const std::string& name);

/// "figure1", ..., "table5".
std::vector<std::string> experiment_names();

}  // namespace projnce
