#pragma once

#include <cstddef>
#include <string>

namespace projnce {

/// CSS of a result's page. In a picture of up to `curves` curves the others fade while the name of
/// one is pointed at.
std::string result_page_style(size_t curves);

}  // namespace projnce
