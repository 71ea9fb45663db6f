#pragma once

#include <string_view>

namespace projnce::report {

// Files of web/ embedded in the program. Empty if it was built without them.

std::string_view report_template();
std::string_view report_script();
std::string_view report_style();

}  // namespace projnce::report
