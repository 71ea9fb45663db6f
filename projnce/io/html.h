#pragma once

#include <string>
#include <string_view>

namespace projnce {

/// `text` that cannot become markup, in HTML or XML, between tags or in an attribute.
std::string escape_html(std::string_view text);

}  // namespace projnce
