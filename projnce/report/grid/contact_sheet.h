#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/dataset/inspect/decode_all.h"
#include "projnce/report/grid/image_grid.h"

namespace projnce::report {

struct ContactSheetOptions {
  int rows = 40;         ///< maximum number of classes
  int columns = 12;      ///< maximum number of samples per class
  int tile_pixels = 72;  ///< side length of a sample's image
};

/// Makes an overview of a dataset: one section per class with evenly spaced samples. Decodes only
/// the samples shown (for audio, also some to estimate the typical length). A class without
/// training samples shows test samples; an unlabeled dataset is one section.
ImageGrid make_contact_sheet(const dataset::DatasetSplit& dataset,
                             const dataset::DecodeAllOptions& decoding,
                             const ContactSheetOptions& options = {});

/// Throws unless the file name ends in .html or .png.
void check_contact_sheet_name(const std::filesystem::path& file);

/// Writes the sheet atomically, in the format given by the file extension. `title` names the
/// dataset, `summary` is a sentence about it.
void write_contact_sheet(const std::filesystem::path& file, const dataset::DatasetSplit& dataset,
                         const dataset::DecodeAllOptions& decoding, const std::string& title,
                         const std::string& summary);

/// A sample whose label may be wrong.
struct LabelIssue {
  int64_t index = 0;      ///< in the dataset
  int64_t given = 0;      ///< its label
  int64_t suggested = 0;  ///< suggested label
  double score = 0;       ///< 0..1, higher is more certain
  /// Whether the given label is wrong, if known.
  std::optional<bool> is_mislabeled = std::nullopt;
};

/// Input of a label issue sheet.
struct LabelIssueSheet {
  dataset::DatasetPtr dataset;
  std::vector<LabelIssue> issues;        ///< in any order
  std::vector<std::string> class_names;  ///< by label; if empty, classes are shown by number
  std::string title;
  std::string summary;  ///< one sentence
  size_t most = 60;     ///< maximum number of issues shown, highest scores first
  double seconds = 0;   ///< length of sounds; 0: estimated
};

/// Makes a grid of the issues with the highest scores, each with sample name, both labels and
/// score. A sample that cannot be decoded is shown as a cross. Throws if an issue is not in the
/// dataset, a label has no name or a score is not in 0..1. Texts may contain any bytes.
/// `tile_pixels` is the side length of an image.
ImageGrid make_label_issue_grid(const LabelIssueSheet& sheet, int tile_pixels,
                                const dataset::DecodeAllOptions& decoding);

/// Throws unless the file name ends in .html or .png.
void check_label_issue_sheet_name(const std::filesystem::path& file);

/// Writes the sheet atomically, in the format given by the file extension.
void write_label_issue_sheet(const std::filesystem::path& file, const LabelIssueSheet& sheet,
                             const dataset::DecodeAllOptions& decoding = {});

}  // namespace projnce::report
