#pragma once

#include <string_view>

#include "projnce/io/table/data_table.h"

namespace projnce::io {

/// Parses one JSON object per line; see read_table. `text` is UTF-8 without a byte order mark and
/// must outlive `rows`.
void parse_json_lines(std::string_view text, TableRows& rows);

}  // namespace projnce::io
