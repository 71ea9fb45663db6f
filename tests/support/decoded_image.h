#pragma once

#include <variant>

#include "projnce/dataset/dataset.h"

namespace projnce::testing {

/// Sample `index` of a dataset of images.
inline Image decoded_image(const dataset::Dataset& dataset, int64_t index) {
  return std::get<Image>(dataset.decode(index));
}

}  // namespace projnce::testing
