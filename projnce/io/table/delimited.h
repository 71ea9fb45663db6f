#pragma once

#include <string>
#include <string_view>

#include "projnce/io/table/data_table.h"

namespace projnce::io {

/// Returns ';' if the first line has semicolons and no comma outside of quotes, else ','.
char csv_delimiter(std::string_view text);

/// Parses CSV or TSV with a header line; see read_table. `text` is UTF-8 without a byte order mark
/// and must outlive `rows`.
void parse_delimited(std::string_view text, char delimiter, TableRows& rows);

/// Formats a field of a CSV or TSV file, quoted if needed.
std::string quote_field(std::string_view field, char delimiter);

}  // namespace projnce::io
