#pragma once

#include <string>
#include <string_view>

namespace projnce::io {

/// `text` fit for one line of a log and for JSON: control characters, backslashes and bytes that
/// are not UTF-8 become \xNN. File names may hold any of these; two names stay two names.
std::string printable(std::string_view text);

/// The same of a name that anybody may have made endless: "…" stands for what is cut off.
std::string printable_start(std::string_view text);

/// `text` that cannot become markup, in HTML or XML, between tags or in an attribute.
std::string escape_html(std::string_view text);

}  // namespace projnce::io
