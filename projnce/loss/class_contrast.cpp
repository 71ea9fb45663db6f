#include "projnce/loss/class_contrast.h"

#include <cmath>

#include "projnce/loss/projected_check.h"
#include "projnce/loss/projected_scores.h"
#include "projnce/loss/selfp_terms.h"

namespace projnce {

LossValue class_contrast(const ContrastRows& batch, Projected projected,
                         const ClassContrastOptions& options) {
  const auto rows = check_projected(batch, projected, "class_contrast: the projection");
  if (options.normalize_g) projected.vectors = unit_rows(projected.vectors);
  if (options.detach_g) projected.vectors = projected.vectors.detach();
  const ProjectedScores scores(rows, projected, options.temperature);
  auto value =
      selfp_terms(rows,
                  {.positive = scores.own(), .neg = &scores, .denominator = options.denominator})
          .value;
  if (!rows.with_parts) return value;
  const auto log_rows = std::log(static_cast<double>(rows.num_candidates()));
  value.parts.emplace_back("mi_bound", log_rows - value.loss.detach());
  return value;
}

}  // namespace projnce
