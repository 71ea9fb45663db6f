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

/// Samples on a map. Each list has one entry per sample, or is empty if the data is unavailable.
struct MappedSamples {
  int64_t total = 0;                  ///< size of the split
  std::string how = {};               ///< method: "t-SNE, perplexity 30, KL 1.234"
  std::vector<float> positions = {};  ///< [N, 2]
  std::vector<int64_t> indices = {};  ///< in the split
  std::vector<int64_t> labels = {};
  std::vector<int64_t> predicted = {};
  std::vector<float> similarity = {};   ///< 0..1, to the predicted class
  std::vector<int64_t> truth = {};      ///< true labels, if label noise was injected
  std::vector<float> audit_score = {};  ///< probability that the label is wrong
  std::vector<int64_t> suggested = {};  ///< suggested labels; present with audit_score
  std::vector<std::string> names = {};  ///< one line each; empty if samples have only an index
  ThumbnailSheets images = {};          ///< without sheets if there are no images

  size_t size() const { return indices.size(); }
};

/// Sample data of a report: the contents of samples.safetensors.
struct ReportSamples {
  std::vector<std::string> class_names = {};
  std::string protocol = {};            ///< protocol of the predictions
  std::vector<int64_t> confusion = {};  ///< [C, C] of all test samples, rows are labels
  std::optional<MappedSamples> test = {};
  std::optional<MappedSamples> train = {};
  nlohmann::ordered_json audit = {};  ///< output of `audit --json`; null without an audit
  ThumbnailSheets worst = {};         ///< images of audit.worst
  std::vector<dataset::AudioExcerpt> clips = {};  ///< of audit.worst, for audio samples
  std::vector<std::string> notes = {};            ///< sentences about what is missing and why
};

void write_report_samples(const std::filesystem::path& file, const ReportSamples& samples);

/// Throws if the file is corrupt or its lists are inconsistent.
ReportSamples read_report_samples(const std::filesystem::path& file);

/// Encodes the samples of a map for a report (SampleSet of web/src/model.ts), with lists in base64.
/// More than `most` samples are subsampled evenly, without images.
nlohmann::ordered_json pack_samples(const MappedSamples& samples, size_t most, bool images);

/// Encodes the confusion matrix (Confusion); null if there are more than kMostConfusedClasses.
nlohmann::ordered_json pack_confusion(const ReportSamples& samples);
inline constexpr size_t kMostConfusedClasses = 256;

/// Encodes the image sheets (Images); null if there are none.
nlohmann::ordered_json pack_images(const ThumbnailSheets& images);

/// Encodes audio clips (Audio), null for samples without one; null if there are none at all.
nlohmann::ordered_json pack_excerpts(const std::vector<dataset::AudioExcerpt>& clips);

}  // namespace projnce::report
