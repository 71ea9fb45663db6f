#pragma once

#include <vector>

#include "projnce/augment/input_format.h"

namespace projnce::testing {

/// Identity standardization, so that tests see values in 0..1.
inline augment::ViewFormat plain_format(int channels, int size) {
  const auto count = static_cast<size_t>(channels);
  return {channels, size, std::vector<double>(count, 0), std::vector<double>(count, 1)};
}

/// Same, for loaders.
inline augment::InputFormat image_input(int channels, int size) {
  return augment::InputFormat::images(plain_format(channels, size));
}

}  // namespace projnce::testing
