#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/inference/audit.h"
#include "projnce/inference/table_samples.h"

namespace projnce::inference {

/// Summary of the issues of a table other than label issues. Names are printable.
struct IssueReport {
  /// A kind of issue of rows.
  struct Kind {
    std::string name;       ///< as in the column is_NAME_issue
    int64_t rows = 0;       ///< number of rows with this issue
    double threshold = 0;   ///< of the quantity that `rule` names
    std::string rule = {};  ///< sentence that explains the threshold
  };
  /// Two classes that overlap or should be merged.
  struct Overlap {
    std::string first;
    std::string second;
    double overlap = 0;  ///< 0 = separated, 1 = mixed like a single class
  };
  /// Group in which labels are predicted worse than in all others.
  struct WeakGroup {
    std::string group;
    int64_t rows = 0;
    double accuracy = 0;
    double others = 0;  ///< accuracy in all other rows
  };
  std::vector<Kind> kinds;
  std::vector<Overlap> overlaps;
  std::vector<WeakGroup> weak_groups;
  std::string data_version;  ///< fingerprint of the table
};

nlohmann::ordered_json issues_json(const IssueReport& report);

struct AuditTableRequest {
  TableRequest table;
  std::filesystem::path output;  ///< CSV
  eval::AuditOptions options;
};

struct TableAuditOutput : AuditOutput {
  IssueReport issues;
};

/// Audits the labels and embeddings of a table (audit_labels, find_data_issues) and writes one row
/// per row of the table, in its order. Ids and labels are exactly those of the table.
///
///   row, id (with id column), given_label, predicted_label, label_quality, is_label_issue
///   votes, agreeing_votes                                             of several annotators
///   near_duplicate_score, is_near_duplicate_issue, near_duplicate_of, is_conflicting_issue
///   is_leakage_issue                                                  with split column
///   outlier_score, is_outlier_issue
///   ambiguity_score, is_ambiguous_issue, second_label
///   is_weak_group_issue                                               with group column
///   data_version                                                      the same in every row
TableAuditOutput audit_table(const AuditTableRequest& request, const Logger& logger);

}  // namespace projnce::inference
