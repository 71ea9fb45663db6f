#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace projnce {

struct Colour {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  bool operator==(const Colour&) const = default;
};

/// "#36509c".
std::string hex(const Colour& colour);

/// A colour for each of `count` classes, all to be seen on white and on near black.
///
/// The first ten stay apart for those who see no red or no green as well; ten more are still
/// distinct. More classes than that go around the circle of hues in steps of the golden angle, in
/// three brightnesses, so that classes beside each other in the list do not look alike.
std::vector<Colour> class_colours(size_t count);

}  // namespace projnce
