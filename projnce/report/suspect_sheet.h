#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/dataset/decode_all.h"

namespace projnce {

/// A sample whose label may be wrong.
struct Suspect {
  int64_t index = 0;      ///< in the dataset
  int64_t given = 0;      ///< its label
  int64_t suggested = 0;  ///< the label that it should have
  double score = 0;       ///< 0..1, the surer the higher
  /// Whether its label was really wrong, where that is known.
  std::optional<bool> really_wrong = std::nullopt;
};

/// What a sheet of suspects shows.
struct SuspectSheet {
  DatasetPtr dataset;
  std::vector<Suspect> suspects;         ///< in any order
  std::vector<std::string> class_names;  ///< by label, or none: classes are called by number
  std::string title;
  std::string summary;  ///< one sentence
  size_t most = 60;     ///< suspects that are shown at most: those with the highest scores
  double seconds = 0;   ///< length of sounds; 0: found out
};

/// Throws where the name of a sheet's file ends neither in .png nor in .html.
void check_suspect_sheet_name(const std::filesystem::path& file);

/// Draws the suspects with the highest scores, each with its name, both labels and its score, into
/// a file of the kind that its name says, which appears whole or not at all. A sample that does not
/// decode is a cross. Throws where a suspect is not in the dataset, a label has no name or a score
/// is not in 0..1. Names may hold any bytes.
void write_suspect_sheet(const std::filesystem::path& file, const SuspectSheet& sheet,
                         const DecodeAllOptions& decoding = {});

}  // namespace projnce
