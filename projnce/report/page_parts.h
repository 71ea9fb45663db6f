#pragma once

#include <string_view>

namespace projnce {

// The files of web/ that pages are made of, inside the program. Empty where it was built without.

std::string_view page_template();
std::string_view page_script();
std::string_view page_style();

}  // namespace projnce
