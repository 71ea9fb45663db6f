#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "projnce/eval/audit/audit.h"

namespace projnce {

/// How good an audit is, where it is known which labels are wrong.
struct AuditScore {
  int64_t wrong = 0;             ///< labels that are
  double precision = 0;          ///< share of the flagged that are wrong; NaN where none is flagged
  double recall = 0;             ///< share of the wrong that are flagged; NaN where none is wrong
  double average_precision = 0;  ///< of the ranking; NaN where none is wrong
  int64_t worst = 0;             ///< 100, or all samples where there are fewer
  int64_t worst_wrong = 0;       ///< wrong labels among that many with the highest scores
  /// Share of wrong labels whose suggestion is the true one; NaN where none is wrong.
  double mended = 0;
};

/// Samples by falling score, the lower index first among equals.
std::vector<int64_t> worst_first(const torch::Tensor& score);

/// REQUIRES: `labels` are those that were audited, `truth` is [N] int64 too.
///
/// Average precision: the mean, over wrong labels, of the share of wrong ones among the samples
/// that rank as high or higher; equal scores rank the same.
AuditScore score_audit(const AuditResult& result, const torch::Tensor& labels,
                       const torch::Tensor& truth);

}  // namespace projnce
