#pragma once

#include <string>

#include "projnce/core/sample.h"

namespace projnce {

/// How sounds are drawn: all alike, so that their pictures can be compared.
struct SoundDrawing {
  int rate = 16000;    ///< samples a second; half of it is the highest frequency that shows
  double seconds = 1;  ///< from the left to the right edge
};

/// A sample as a square of size x size pixels, RGBA.
///
/// A picture keeps its proportions; what it leaves free is transparent. A sound is its log-mel
/// spectrogram, or comes as one: low frequencies at the bottom, 60 dB from the darkest to the
/// brightest colour. A vector is its numbers, row by row in a square, from the smallest to the
/// largest.
/// REQUIRES: what the sample holds fits together, as what datasets decode does.
Image draw_tile(const Sample& sample, int size, const SoundDrawing& sound);

/// Stands for a sample that does not decode: a cross on grey.
Image damaged_tile(int size);

/// What a reader must know to understand the tiles: sentences that end in a space, or nothing.
std::string explain_tiles(SampleKind kind);

}  // namespace projnce
