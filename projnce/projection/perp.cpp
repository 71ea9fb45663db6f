#include "projnce/projection/perp.h"

#include "projnce/core/error.h"
#include "projnce/projection/class_matrix.h"

namespace projnce {

namespace {

torch::Tensor given_soft_labels(const CandidateRows& candidates) {
  const auto& q = candidates.soft_labels;
  if (!q.defined()) {
    fail(Hint{"fill candidate_soft_labels, or choose soft_source 'nw'"},
         "projection perp: soft_source is 'given', but the batch brings no soft labels");
  }
  if (q.dim() != 2 || q.size(0) != candidates.size() || !q.is_floating_point()) {
    fail("projection perp: the soft labels are ", q.scalar_type(), " ", q.sizes(),
         ", expected numbers with ", candidates.size(), " rows and a column for each class");
  }
  if ((q < 0).any().item<bool>()) fail("projection perp: a soft label is negative");
  check_labels(candidates.groups.labels, q.size(1), "projection perp");
  return q.to(candidates.rows.scalar_type()).index_select(1, candidates.groups.labels);
}

}  // namespace

torch::Tensor soft_labels(const CandidateRows& candidates, const PerpOptions& options) {
  if (options.soft_source == SoftSource::kGiven) return given_soft_labels(candidates);
  const auto rows = options.detach_q ? candidates.rows.detach() : candidates.rows;
  return nadaraya_watson(rows, candidates.groups, options.nw);
}

torch::Tensor soft_means(const torch::Tensor& q, const torch::Tensor& rows) {
  const auto mass = q.sum(/*dim=*/0).unsqueeze(1);  // [C, 1]
  return q.t().mm(rows) / mass.masked_fill(mass == 0, 1);
}

Projected project_perp(const CandidateRows& candidates, const PerpOptions& options) {
  const auto q = soft_labels(candidates, options);  // [M, K]
  const auto massless = (q.sum(/*dim=*/0) == 0).unsqueeze(1);
  return {.vectors = torch::where(massless, class_means(candidates.groups, candidates.rows),
                                  soft_means(q, candidates.rows))};
}

PerpProjection::PerpProjection(const PerpOptions& options) : options_(options) {
  check_options(options.nw);
}

Projected PerpProjection::project(const CandidateRows& candidates) {
  return project_perp(candidates, options_);
}

}  // namespace projnce
