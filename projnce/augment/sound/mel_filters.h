#pragma once

#include <vector>

#include "projnce/augment/sound/mel_options.h"

namespace projnce {

/// One band: the weights of neighbouring frequencies k * rate / fft, beginning with k = first.
/// None where the band is narrower than their distance and lies between two of them.
struct MelBand {
  int first = 0;
  std::vector<double> weights;
};

/// The bands, lowest first: triangles whose corners are equally spaced on the mel scale between
/// options.low and options.highest(), each from the middle of the one before to the middle of the
/// one after. For the Slaney scale they are divided by half their width in Hz.
std::vector<MelBand> mel_filters(const MelOptions& options);

}  // namespace projnce
