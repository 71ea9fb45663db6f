#pragma once

#include <memory>

#include "projnce/augment/sound/mel_options.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/feature_cache.h"

namespace projnce {

/// The log-mel spectrograms of sounds that prepare_clips has brought into the form of `mel`. With a
/// cache, a spectrogram is computed once for each file and set of options; `cache` may be null.
DatasetPtr spectrograms_of(DatasetPtr clips, const MelOptions& mel,
                           std::shared_ptr<const FeatureCache> cache);

}  // namespace projnce
