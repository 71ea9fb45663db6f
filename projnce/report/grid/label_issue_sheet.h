#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/dataset/inspect/decode_all.h"
#include "projnce/report/grid/image_grid.h"

namespace projnce::report {

/// A sample whose label may be wrong.
struct LabelIssue {
  int64_t index = 0;      ///< in the dataset
  int64_t given = 0;      ///< its label
  int64_t suggested = 0;  ///< the label that it should have
  double score = 0;       ///< 0..1, higher is surer
  /// Whether the given label is really wrong, if that is known.
  std::optional<bool> is_mislabeled = std::nullopt;
};

/// Label issues to look at.
struct LabelIssueSheet {
  dataset::DatasetPtr dataset;
  std::vector<LabelIssue> issues;        ///< in any order
  std::vector<std::string> class_names;  ///< by label, or none: classes are called by number
  std::string title;
  std::string summary;  ///< one sentence
  size_t most = 60;     ///< largest number of issues shown: those with the highest scores
  double seconds = 0;   ///< length of sounds; 0: found out
};

/// The issues with the highest scores, each with the sample's name, both labels and the score. A
/// sample that does not decode is a cross. Throws if an issue is not in the dataset, a label has no
/// name or a score is not in 0..1. Texts may hold any bytes. `tile_pixels` is the side of an image.
ImageGrid make_label_issue_grid(const LabelIssueSheet& sheet, int tile_pixels,
                                const dataset::DecodeAllOptions& decoding);

/// Throws if the name of the file ends neither in .html nor in .png.
void check_label_issue_sheet_name(const std::filesystem::path& file);

/// Writes the issues in the format that the name of the file says. The file appears whole or not
/// at all.
void write_label_issue_sheet(const std::filesystem::path& file, const LabelIssueSheet& sheet,
                             const dataset::DecodeAllOptions& decoding = {});

}  // namespace projnce::report
