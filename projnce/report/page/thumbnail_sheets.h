#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::report {

/// Small square images of samples in large ones, row by row: image i is on sheet
/// i / per_sheet. Sounds are spectrograms.
struct ThumbnailSheets {
  int side = 0;                                   ///< pixels of a image
  int columns = 0;                                ///< images in a row
  int per_sheet = 0;                              ///< images on a sheet; the last may have fewer
  std::vector<std::vector<uint8_t>> sheets = {};  ///< JPEG files
};

struct ThumbnailOptions {
  size_t bytes = 0;  ///< that all sheets may take, about
  int largest_side = 96;
  dataset::DecodeAllOptions decoding = {};
};

/// Draws the samples as large and as well as `bytes` allows, none larger than it is.
ThumbnailSheets make_thumbnail_sheets(const dataset::DatasetPtr& dataset,
                                      const std::vector<int64_t>& samples,
                                      const ThumbnailOptions& options);

}  // namespace projnce::report
