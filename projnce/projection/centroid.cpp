#include "projnce/projection/centroid.h"

namespace projnce::projection {

namespace {

/// (S_{y_k} - z_k) / (n_{y_k} - 1) for rows of the given classes; zero for a class of one.
torch::Tensor without_row(const torch::Tensor& sums, const torch::Tensor& counts,
                          const torch::Tensor& ids, const torch::Tensor& rows) {
  const auto others = (counts.index_select(0, ids) - 1).clamp_min(1);
  return (sums.index_select(0, ids) - rows) / others.to(rows.scalar_type()).unsqueeze(1);
}

/// As above, with the row itself in place of zero.
torch::Tensor without_row_or_itself(const torch::Tensor& sums, const torch::Tensor& counts,
                                    const torch::Tensor& ids, const torch::Tensor& rows) {
  const auto alone = (counts.index_select(0, ids) == 1).unsqueeze(1);
  return torch::where(alone, rows, without_row(sums, counts, ids, rows));
}

}  // namespace

Projected project_centroids(const CandidateRows& candidates, const CentroidOptions& options) {
  const auto& groups = candidates.groups;
  const auto rows = options.detach ? candidates.rows.detach() : candidates.rows;
  const auto sums = class_sums(groups, rows);  // [K, D]
  if (options.rows == CentroidRows::kNotRow) {
    return {.vectors = without_row_or_itself(sums, groups.counts, groups.ids, rows),
            .per_row = true};
  }
  Projected projected{.vectors = sums / groups.counts.to(rows.scalar_type()).unsqueeze(1)};
  if (options.rows == CentroidRows::kNotAnchor) {
    const auto anchors = rows.narrow(0, candidates.anchor_offset, candidates.num_anchors);
    projected.positive =
        without_row_or_itself(sums, groups.counts, candidates.anchor_ids(), anchors);
    projected.has_positive = groups.counts > 1;
  }
  return projected;
}

Projected CentroidProjection::project(const CandidateRows& candidates) {
  return project_centroids(candidates, options_);
}

torch::Tensor anchor_centroids(const CandidateRows& candidates, bool include_self) {
  const auto ids = candidates.anchor_ids();
  if (include_self) return class_means(candidates.groups, candidates.rows).index_select(0, ids);
  return without_row(class_sums(candidates.groups, candidates.rows), candidates.groups.counts, ids,
                     candidates.anchor_rows());
}

}  // namespace projnce::projection
