#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "projnce/dataset/inspect/sample_previews.h"
#include "projnce/report/page/thumbnail_sheets.h"

namespace projnce::report {

/// Samples on a map. Lists have an entry for each of them, or none where nothing is known.
struct MappedSamples {
  int64_t total = 0;                  ///< samples of the part that they were chosen from
  std::string how = {};               ///< how the map was made: "t-SNE, perplexity 30, KL 1.234"
  std::vector<float> positions = {};  ///< [N, 2]
  std::vector<int64_t> indices = {};  ///< in the part
  std::vector<int64_t> labels = {};
  std::vector<int64_t> predicted = {};
  std::vector<float> similarity = {};   ///< 0..1, with the predicted class
  std::vector<int64_t> truth = {};      ///< what the files say, where labels were made wrong
  std::vector<float> suspicion = {};    ///< 0..1, that the label is wrong
  std::vector<int64_t> suggested = {};  ///< label, there with suspicion
  std::vector<std::string> names = {};  ///< one line each; none where samples have numbers only
  ThumbnailSheets images = {};          ///< without sheets where there are none

  size_t size() const { return indices.size(); }
};

/// What a report shows of a run's samples: the file samples.safetensors.
struct ReportSamples {
  std::vector<std::string> class_names = {};
  std::string protocol = {};            ///< that the predictions are made by
  std::vector<int64_t> confusion = {};  ///< [C, C] of all test samples, rows are labels
  std::optional<MappedSamples> test = {};
  std::optional<MappedSamples> train = {};
  nlohmann::ordered_json audit = {};  ///< what `audit --json` tells; null where there was none
  ThumbnailSheets worst = {};         ///< images of audit.worst
  std::vector<dataset::SoundClip> sounds = {};  ///< of audit.worst, if the samples are sounds
  std::vector<std::string> notes = {};          ///< what is not there and why, a sentence each
};

void write_report_samples(const std::filesystem::path& file, const ReportSamples& samples);

/// Throws where the file is damaged or its lists do not fit together.
ReportSamples read_report_samples(const std::filesystem::path& file);

/// The samples of a map as a report holds them (SampleSet of web/src/model.ts): lists of small
/// numbers in base64. Of more than `most` samples evenly spaced ones are taken, and of those no
/// images.
nlohmann::ordered_json pack_samples(const MappedSamples& samples, size_t most, bool images);

/// The confusion matrix (Confusion), or null where there are too many classes to look at.
nlohmann::ordered_json pack_confusion(const ReportSamples& samples);
inline constexpr size_t kMostConfusedClasses = 256;

/// Sheets of images (Images), or null where there are none.
nlohmann::ordered_json pack_images(const ThumbnailSheets& images);

/// Pieces of sounds (Sound), null for those without one; null if there are none at all.
nlohmann::ordered_json pack_sounds(const std::vector<dataset::SoundClip>& clips);

}  // namespace projnce::report
