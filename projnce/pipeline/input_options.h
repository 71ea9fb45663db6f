#pragma once

#include <cstdint>
#include <vector>

#include "projnce/augment/view_format.h"
#include "projnce/core/table.h"
#include "projnce/dataset/dataset.h"
#include "projnce/encoder/encoder.h"

namespace projnce {

/// The form in which pictures reach the encoder. Zero and empty mean: found out from the data.
struct InputOptions {
  int64_t image_size = 0;
  int64_t channels = 0;      ///< 1 or 3
  std::vector<double> mean;  ///< of each channel, on the scale 0..1
  std::vector<double> std;

  InputShape shape() const { return {.channels = channels, .image_size = image_size}; }
  ViewFormat format() const;  ///< how loaders write pictures
};

InputOptions read_input_options(Table& table);

/// Fills in what is not given by looking at the training pictures, and writes it into the table:
/// the common size of small square pictures, else the median shorter side, at most 64; three
/// channels as soon as one picture has colour; mean and deviation of the pixels.
InputOptions resolve_input(Table& table, const Dataset& train, int threads);

}  // namespace projnce
