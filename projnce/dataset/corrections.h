#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/readers/labeled_table.h"

namespace projnce::dataset {

/// What to do with a sample whose label was checked.
enum class CorrectionAction { kKeep, kRelabel, kDrop };

/// A checked sample.
struct Correction {
  int64_t row = 0;  ///< index of the sample
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

/// Samples that corrections refer to.
struct CorrectedSamples {
  std::string name;                       ///< table or folder, for messages
  std::vector<std::string> labels;        ///< of each sample
  std::vector<std::string> class_names;   ///< labels that a correction may give
  bool has_rows = false;                  ///< if true, the column `row` has their indices
  std::string name_column = {};           ///< column with their names; "" for none
  std::vector<std::string> names = {};    ///< different for every sample; empty without column
  std::string version = {};               ///< fingerprint of the data; "" if unknown
  std::string missing_names_advice = {};  ///< if corrections have names but the samples do not

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
};

/// Column with the fingerprint of the data in issues and corrections.
inline constexpr const char* kDataVersion = "data_version";

/// Samples of a table: by `row` and, with an id column, by `id`.
CorrectedSamples corrected_samples(const LabeledTable& table);

/// Reads corrections: a table with the columns
///
///   row, or the column of names   the sample; if both are given, they must agree
///   action        keep, relabel or drop; "" is keep
///   label         the new label, for relabel
///   given_label   the label that was corrected, optional
///   data_version  fingerprint of the corrected data, optional
///
/// With `unchecked`, the file may be the issues.csv or label_issues.csv of an audit instead, which
/// have no column `action`: their label issues are dropped, or relabeled as predicted.
///
/// Throws, naming file and line, if a sample does not exist or occurs twice, an action is unknown,
/// a new label is missing or is not a class, or the fingerprint or the given label is not that of
/// the data, because the corrections are of another version of it.
std::vector<Correction> read_corrections(const std::filesystem::path& path,
                                         const CorrectedSamples& samples,
                                         UncheckedIssues unchecked = UncheckedIssues::kReject);

/// Numbers of samples by what was done with them.
struct CorrectionCounts {
  int64_t kept = 0;
  int64_t relabeled = 0;
  int64_t dropped = 0;
};

/// Writes the corrected table in the format of the original, atomically. Rows that are kept are
/// copied byte for byte; the label of a relabeled one, or all of its votes, are replaced. Throws if
/// no row remains.
CorrectionCounts write_corrected_table(const std::filesystem::path& output,
                                       const LabeledTable& table,
                                       const std::vector<Correction>& corrections);

/// Writes the rows of a .npy matrix that are not dropped, as float32. Throws unless the matrix has
/// one row per row of the table.
void write_remaining_rows(const std::filesystem::path& output,
                          const std::filesystem::path& embeddings, const LabeledTable& table,
                          const std::vector<Correction>& corrections);

}  // namespace projnce::dataset
