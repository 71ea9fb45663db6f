#pragma once

#include <cstdint>

#include "projnce/augment/sound/mel_options.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

/// The clip with `rate` samples a second: round(n * rate / clip.rate) of them, one at least,
/// band-limited so that what the lower rate cannot hold does not fold back. The same samples where
/// the rates agree. Throws where the rates differ by more than a factor of 256 or the result has
/// more than a hundred million samples.
Clip resample_clip(const Clip& clip, int rate);

/// The clip with exactly this many samples: the middle of a longer one; a shorter one with zeros on
/// both sides (the right side takes the odd one).
Clip fit_length(const Clip& clip, int64_t samples);

/// Resampled to options.rate and fitted to options.samples(). A long clip is cropped first, so the
/// cost is that of the part which is kept.
Clip prepare_clip(const Clip& clip, const MelOptions& options);

}  // namespace projnce::augment
