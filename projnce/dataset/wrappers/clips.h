#pragma once

#include <cstdint>
#include <memory>

#include "projnce/augment/sound/mel_options.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/tensor/feature_cache.h"

namespace projnce::dataset {

/// The form that sounds are brought into.
struct ClipFormat {
  int rate = 16000;    ///< samples a second
  double seconds = 0;  ///< length; 0 keeps each sound's own
};

/// The same sounds at one rate and, where the format has one, of one length.
DatasetPtr prepare_clips(DatasetPtr clips, const ClipFormat& format);

/// The middle of the lengths of `probed` sounds, evenly spaced among all that decode; 0 if none
/// does.
double median_seconds(const Dataset& clips, int64_t probed);

/// A length for all sounds of a dataset: that of nearly all (19 in 20) of those looked at, in whole
/// tenths of a second, at most 10 s. Sounds that do not decode are passed over.
double typical_seconds(const Dataset& clips);

/// Shared by all datasets whose spectrograms it holds.
using FeatureCachePtr = std::shared_ptr<io::FeatureCache>;

/// The log-mel spectrograms of sounds that prepare_clips has brought into the form of `mel`. With a
/// cache, a spectrogram is computed once for each file and set of options; `cache` may be null.
DatasetPtr spectrograms_of(DatasetPtr clips, const augment::MelOptions& mel, FeatureCachePtr cache);

}  // namespace projnce::dataset
