#include "projnce/loss/selfp_terms.h"

#include <algorithm>
#include <cmath>

namespace projnce {

namespace {

/// `log_mass` is the denominator of self-p, which most often is that of R as well.
torch::Tensor ratio_of(const ContrastRows& rows, const SelfpInput& input,
                       const torch::Tensor& log_mass) {
  const auto below =
      input.r_leave == input.denominator ? log_mass : input.neg->log_mass(input.r_leave);
  const auto log_ratio = input.pos->log_mass(input.r_leave) - below;
  const auto some = rows.remaining(input.r_leave) > 0;  // [N]
  return torch::where(some, log_ratio.exp(), torch::zeros_like(log_ratio));
}

}  // namespace

torch::Tensor pair_bound(const ContrastRows& rows, const torch::Tensor& per_anchor,
                         const torch::Tensor& valid_class, const torch::Tensor& ratio,
                         int64_t compared) {
  const auto selfp =
      weighted_sum(rows, per_anchor.detach(), valid_class, EmptyPositives::kSkip).detach();
  const auto constant = 1 + std::log(static_cast<double>(std::max<int64_t>(compared, 1)));
  const auto bound = constant - selfp - ratio.detach().mean();
  return torch::where(valid_class.any(), bound, torch::zeros_like(bound));
}

SelfpTerms selfp_terms(const ContrastRows& rows, const SelfpInput& input) {
  const auto log_mass = input.neg->log_mass(input.denominator);  // [N]
  const auto& counts = rows.candidates.groups.counts;
  auto valid_class = input.valid_class.defined() ? input.valid_class : counts > 0;
  if (input.denominator == Leave::kSelf && rows.num_candidates() == 1) {
    valid_class = torch::zeros_like(valid_class);  // nothing to compare with
  }
  SelfpTerms terms;
  terms.value = pull_and_push(rows, input.positive, log_mass, valid_class, input.empty);
  terms.selfp = terms.value.loss;
  const bool ratio_wanted = input.beta != 0 || rows.with_parts;
  if (!input.pos || !ratio_wanted) return terms;

  // beta 0 wants R for the log alone; and 0 times an overflowing R would be NaN.
  const torch::AutoGradMode with_gradient(torch::GradMode::is_enabled() && input.beta != 0);
  terms.ratio = ratio_of(rows, input, log_mass);
  if (input.beta != 0) {
    terms.value.loss = terms.selfp + input.beta * reduce(terms.ratio, rows.reduction);
  }
  if (!rows.with_parts) return terms;
  const auto compared = rows.num_candidates() - (input.denominator == Leave::kSelf ? 1 : 0);
  terms.value.parts.emplace_back("R", terms.ratio.detach().mean());
  terms.value.parts.emplace_back(
      "mi_bound", pair_bound(rows, log_mass - input.positive, valid_class, terms.ratio, compared));
  return terms;
}

}  // namespace projnce
