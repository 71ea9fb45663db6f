#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::report {

/// Sprite sheets of square thumbnails, row by row: image i is on sheet i / per_sheet. Audio samples
/// are shown as spectrograms.
struct ThumbnailSheets {
  int side = 0;       ///< side length of an image in pixels
  int columns = 0;    ///< images per row
  int per_sheet = 0;  ///< images per sheet; the last sheet may have fewer
  std::vector<std::vector<uint8_t>> sheets = {};  ///< JPEG files
};

struct ThumbnailOptions {
  size_t bytes = 0;  ///< approximate size limit of all sheets
  int largest_side = 96;
  dataset::DecodeAllOptions decoding = {};
};

/// Renders thumbnails with the largest size and quality that fit into `bytes`, without upscaling.
ThumbnailSheets make_thumbnail_sheets(const dataset::DatasetPtr& dataset,
                                      const std::vector<int64_t>& samples,
                                      const ThumbnailOptions& options);

}  // namespace projnce::report
