#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "projnce/report/report_samples.h"

namespace projnce {

/// The samples of a map as a report holds them (SampleSet of web/src/model.ts): lists of small
/// numbers in base64. Of more than `most` samples evenly spaced ones are taken, and of those no
/// pictures.
nlohmann::ordered_json pack_samples(const MappedSamples& samples, size_t most, bool pictures);

/// The confusion matrix (Confusion), or null where there are too many classes to look at.
nlohmann::ordered_json pack_confusion(const ReportSamples& samples);
inline constexpr size_t kMostConfusedClasses = 256;

/// Sheets of pictures (Pictures), or null where there are none.
nlohmann::ordered_json pack_pictures(const ThumbnailSheets& pictures);

/// Pieces of sounds (Sound), null for those without one; null if there are none at all.
nlohmann::ordered_json pack_sounds(const std::vector<SoundClip>& clips);

}  // namespace projnce
