#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/io/table/data_table.h"

namespace projnce::dataset {

/// The label of each row with the most votes.
struct MajorityLabels {
  std::vector<std::string> labels;
  std::vector<int64_t> votes;     ///< number of votes
  std::vector<int64_t> agreeing;  ///< number of votes for the label
};

/// Counts the votes of several annotators. Each column has the label given by one of them, empty if
/// they did not label the row, or a JSON array of labels. Equal numbers of votes are decided by the
/// number of votes in the whole table, then by the order of the labels as text. Throws, naming file
/// and line, if a row has no vote or an array contains anything but texts, numbers and booleans.
MajorityLabels count_votes(const io::DataTable& table, const std::vector<std::string>& columns);

}  // namespace projnce::dataset
