#pragma once

#include <string>
#include <vector>

namespace projnce::report {

/// Rows of cells in aligned columns for a terminal, one line for each row. Texts are UTF-8; every
/// character counts as one column. Rows may have different lengths.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace projnce::report
