#pragma once

#include <span>
#include <string>

namespace projnce {

/// The values as a row of block characters (U+2581 to U+2588), at most `width` of them, from the
/// smallest value to the largest. Of more values each character is a mean over some of them.
/// What is not finite is a gap; values that are all the same stand in the middle. Empty where no
/// value is finite.
std::string sparkline(std::span<const double> values, int width);

}  // namespace projnce
