#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace projnce {

/// A value on its way through a graph: its name and the sides of each sample, such as C, H, W.
struct GraphValue {
  std::string name;
  std::vector<int64_t> sides;
};

}  // namespace projnce
