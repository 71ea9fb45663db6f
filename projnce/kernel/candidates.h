#pragma once

#include <cstdint>

namespace projnce {

/// A reference that may be among the nearest.
template <class T>
struct Candidate {
  T score;
  int32_t index;
};

}  // namespace projnce
