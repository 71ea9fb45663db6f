#pragma once

#include <cstdint>
#include <memory>

#include "projnce/augment/audio/mel_options.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/tensor/feature_cache.h"

namespace projnce::dataset {

/// Common format of clips.
struct ClipFormat {
  int rate = 16000;    ///< sampling rate in Hz
  double seconds = 0;  ///< length; 0 keeps the length of each clip
};

/// Converts clips to one rate and, if the format has one, to one length.
DatasetPtr prepare_clips(DatasetPtr clips, const ClipFormat& format);

/// Median length of `probed` clips, evenly spaced among all; undecodable ones are skipped. 0 if
/// none can be decoded.
double median_seconds(const Dataset& clips, int64_t probed);

/// Common length for the clips of a dataset: the 95th percentile of the probed lengths, rounded up
/// to tenths of a second, at most 10 s. Clips that cannot be decoded are skipped.
double typical_seconds(const Dataset& clips);

/// Cache of spectrograms, shared by datasets.
using FeatureCachePtr = std::shared_ptr<io::FeatureCache>;

/// Computes log-mel spectrograms of clips prepared by prepare_clips in the format of `mel`. With a
/// cache, each spectrogram is computed once per file and options; `cache` may be null.
DatasetPtr to_spectrograms(DatasetPtr clips, const augment::MelOptions& mel, FeatureCachePtr cache);

}  // namespace projnce::dataset
