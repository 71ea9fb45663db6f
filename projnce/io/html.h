#pragma once

#include <string>
#include <string_view>

#include "projnce/core/image.h"

namespace projnce {

// Pages that need nothing else: no scripts, no files, no network. They follow the reader's choice
// of light or dark; their colours are the variables --ground, --panel, --text, --soft and --line.

/// `text` that cannot become markup, in HTML or XML, between tags or in an attribute.
std::string escape_html(std::string_view text);

/// From the first line to the start of the body. `title` may hold any characters; `style` is CSS
/// and follows what all pages share.
std::string html_start(std::string_view title, std::string_view style);

/// The title and a sentence about it, at the top of the page.
std::string html_heading(std::string_view title, std::string_view summary);

/// A picture inside the page. `alt` may hold any characters.
std::string inline_picture(const Image& picture, std::string_view alt);

inline constexpr std::string_view kHtmlEnd = "</body>\n</html>\n";

}  // namespace projnce
