#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/readers/labeled_table.h"

namespace projnce::dataset {

/// What to do with a row whose label was checked.
enum class CorrectionAction { kKeep, kRelabel, kDrop };

/// A checked row of a table.
struct Correction {
  int64_t row = 0;
  CorrectionAction action = CorrectionAction::kKeep;
  std::string label = {};     ///< new label of kRelabel
  std::string location = {};  ///< for messages: "corrections.csv:3"
};

/// What to do with the label issues of an audit that no one has checked.
enum class UncheckedIssues {
  kReject,   ///< a file without the column `action` is an error
  kDrop,     ///< drop them
  kRelabel,  ///< relabel them as predicted
};

/// Reads corrections of `table`: a table with the columns
///
///   row or id     the row, from 0, or its id; if both are given, they must agree
///   action        keep, relabel or drop; "" is keep
///   label         the new label, for relabel
///   given_label   the label that was corrected, optional
///
/// With `unchecked`, the file may be the issues.csv of an audit instead, which has no column
/// `action`: rows with is_label_issue = true are dropped, or relabeled as predicted_label.
///
/// Throws, naming file and line, if a row or id is not in the table or occurs twice, an action is
/// unknown, a new label is missing or is not a label of the table, or the given label is not that
/// of the table, because the corrections are of another version of it. REQUIRES: `table` has a
/// label column.
std::vector<Correction> read_corrections(const std::filesystem::path& path,
                                         const LabeledTable& table,
                                         UncheckedIssues unchecked = UncheckedIssues::kReject);

/// Numbers of rows by what was done with them.
struct CorrectionCounts {
  int64_t kept = 0;
  int64_t relabeled = 0;
  int64_t dropped = 0;
};

/// Writes the corrected table in the format of the original, atomically. Rows that are kept are
/// copied byte for byte; the label of a relabeled one is replaced. Throws if no row remains.
CorrectionCounts write_corrected_table(const std::filesystem::path& output,
                                       const LabeledTable& table,
                                       const std::vector<Correction>& corrections);

/// Writes the rows of a .npy matrix that are not dropped, as float32. Throws unless the matrix has
/// one row per row of the table.
void write_remaining_rows(const std::filesystem::path& output,
                          const std::filesystem::path& embeddings, const LabeledTable& table,
                          const std::vector<Correction>& corrections);

}  // namespace projnce::dataset
