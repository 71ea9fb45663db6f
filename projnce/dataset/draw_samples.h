#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/decode_all.h"
#include "projnce/dataset/sample_tile.h"

namespace projnce {

/// How the sounds of a dataset are drawn: at the rate of the first that can be read, within limits,
/// and over `seconds`, or where that is 0 over their usual length, for which some are decoded.
/// What holds no sounds needs none of it.
SoundDrawing sound_drawing(const Dataset& dataset, double seconds = 0);

/// A tile of size x size pixels for each of the samples, in their order; a cross for one that does
/// not decode.
std::vector<Image> draw_samples(const DatasetPtr& dataset, const std::vector<int64_t>& samples,
                                int size, const SoundDrawing& sound,
                                const DecodeAllOptions& decoding);

}  // namespace projnce
