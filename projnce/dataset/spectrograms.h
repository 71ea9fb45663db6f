#pragma once

#include <memory>

#include "projnce/augment/sound/mel_options.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/feature_cache.h"

namespace projnce {

/// Shared by all datasets whose spectrograms it holds.
using FeatureCachePtr = std::shared_ptr<FeatureCache>;

/// The log-mel spectrograms of sounds that prepare_clips has brought into the form of `mel`. With a
/// cache, a spectrogram is computed once for each file and set of options; `cache` may be null.
DatasetPtr spectrograms_of(DatasetPtr clips, const MelOptions& mel, FeatureCachePtr cache);

}  // namespace projnce
