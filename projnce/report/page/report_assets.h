#pragma once

#include <string_view>

namespace projnce::report {

// The files of web/ that reports are made of, inside the program. Empty where it was built without.

std::string_view report_template();
std::string_view report_script();
std::string_view report_style();

}  // namespace projnce::report
