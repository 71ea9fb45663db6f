#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace projnce::io {

/// Escapes text for a log line and for JSON: control characters, backslashes and invalid UTF-8
/// bytes become \xNN. Injective, so different file names remain different.
std::string printable(std::string_view text);

/// As above, truncated with "…", for names of arbitrary length.
std::string printable_start(std::string_view text);

/// Number of bytes before the first one that is not part of a UTF-8 character.
size_t valid_utf8_length(std::string_view text);

/// Escapes text for HTML or XML, between tags or in an attribute.
std::string escape_html(std::string_view text);

}  // namespace projnce::io
