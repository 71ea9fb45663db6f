#pragma once

#include <cstdint>

#include "projnce/augment/audio/mel_options.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

/// Resamples the clip to `rate` Hz: round(n * rate / clip.rate) samples, at least one, band-limited
/// to prevent aliasing. Returns the same samples if the rates are equal. Throws if the rates differ
/// by more than a factor of 256 or the result has more than 100 million samples.
Clip resample_clip(const Clip& clip, int rate);

/// Crops or pads the clip to exactly this many samples: the middle of a longer clip; a shorter one
/// padded with zeros on both sides (an odd sample goes to the right).
Clip fit_length(const Clip& clip, int64_t samples);

/// Resamples to options.rate and crops or pads to options.samples(). Long clips are cropped before
/// resampling, so the cost depends only on the part that is kept.
Clip prepare_clip(const Clip& clip, const MelOptions& options);

}  // namespace projnce::augment
