#include "projnce/loss/infonce.h"

#include "projnce/core/device.h"
#include "projnce/core/error.h"
#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/pairwise_logsumexp.h"

namespace projnce::loss {

namespace {

/// The two terms of l_i = -t_ii + log sum_j e^{t_ij}, [n]. Their sums are divided at the end,
/// because a process may have no first views.
struct InfonceTerms {
  torch::Tensor alignment;   // -t_ii
  torch::Tensor uniformity;  // log sum_j e^{t_ij}

  InfonceTerms operator+(const InfonceTerms& other) const {
    return {alignment + other.alignment, uniformity + other.uniformity};
  }
};

/// t_ij = anchors_i . others_j / t of anchors [n, D] and others [B, D]; `partner` [n] is the row of
/// `others` that an anchor is paired with.
InfonceTerms infonce_terms(const torch::Tensor& anchors, const torch::Tensor& others,
                           const torch::Tensor& partner, double temperature) {
  const auto paired = (anchors * others.index_select(0, partner)).sum(/*dim=*/1);
  const auto logsumexp =
      pairwise_logsumexp({.anchors = anchors, .candidates = others, .scale = 1 / temperature});
  return {-paired / temperature, logsumexp[0]};
}

/// L = mean_i l_i with its parts, or another reduction. `share`: weight of a term in the value of
/// its anchor; `anchors`: divisor of the mean.
LossValue reduce_infonce(const InfonceTerms& terms, double share, double anchors,
                         Reduction reduction) {
  if (reduction != Reduction::kMean) {
    return {reduce((terms.alignment + terms.uniformity) * share, reduction), {}};
  }
  const auto alignment = terms.alignment.sum() * (share / anchors);
  const auto uniformity = terms.uniformity.sum() * (share / anchors);
  const auto loss = alignment + uniformity;
  return {loss, {{"alignment", alignment.detach()}, {"uniformity", uniformity.detach()}}};
}

/// The candidates' rows of each pair, [B, 2], the earlier row first; on the CPU.
torch::Tensor pair_rows(const projection::ClassGroups& groups) {
  if ((groups.counts != 2).any().item<bool>()) {
    fail(Hint{"use simclr for another number of views"},
         "infonce: every instance needs exactly two rows among the candidates");
  }
  const auto order = torch::argsort(groups.ids, /*stable=*/true, /*dim=*/0);
  return order.view({-1, 2});
}

/// The pairs of a batch, on the CPU.
struct Pairs {
  torch::Tensor rows;         // [B, 2]
  torch::Tensor of_anchor;    // [N]: the pair of each anchor
  torch::Tensor anchor_rows;  // [N]: the row of each anchor among the candidates

  explicit Pairs(const GroupedBatch& batch) {
    const auto groups = projection::on_host(batch.candidates.groups);
    const auto first = batch.candidates.anchor_offset;
    rows = pair_rows(groups);
    of_anchor = groups.ids.narrow(0, first, batch.num_anchors());
    anchor_rows = torch::arange(first, first + batch.num_anchors());
  }
};

/// The anchors that are views `from`, against all views `to`; 0 for the other anchors.
InfonceTerms view_terms(const GroupedBatch& rows, const Pairs& pairs, int64_t from, int64_t to,
                        double temperature) {
  const auto device = rows.anchors.device();
  const auto is_from =
      pairs.rows.select(1, from).index_select(0, pairs.of_anchor) == pairs.anchor_rows;
  const auto chosen = is_from.nonzero().squeeze(1);
  const auto index = upload(chosen, device);
  const auto terms =
      infonce_terms(rows.anchors.index_select(0, index),
                    rows.candidates.rows.index_select(0, upload(pairs.rows.select(1, to), device)),
                    upload(pairs.of_anchor.index_select(0, chosen), device), temperature);
  const auto zeros = torch::zeros({rows.num_anchors()}, rows.anchors.options());
  return {zeros.index_add(0, index, terms.alignment), zeros.index_add(0, index, terms.uniformity)};
}

}  // namespace

LossValue infonce(const torch::Tensor& a, const torch::Tensor& b, const InfonceOptions& options,
                  Reduction reduction) {
  check_positive(options.temperature, "infonce", "temperature");
  if (a.dim() != 2 || a.numel() == 0 || a.sizes() != b.sizes() || !a.is_floating_point() ||
      a.scalar_type() != b.scalar_type()) {
    fail("infonce: a is ", a.scalar_type(), " ", a.sizes(), ", b ", b.scalar_type(), " ", b.sizes(),
         "; expected two matrices of one shape and floating-point type with at least one row");
  }
  const auto pairs = a.size(0);
  const auto partner = torch::arange(pairs, torch::TensorOptions(a.device()).dtype(torch::kInt64));
  const auto anchors = static_cast<double>(pairs);
  const auto left = at_least_float32(a);
  const auto right = at_least_float32(b);
  // L = mean_i ( -t_ii + log sum_j e^{t_ij} )
  const auto forward = infonce_terms(left, right, partner, options.temperature);
  if (!options.symmetric) return reduce_infonce(forward, 1, anchors, reduction);
  return reduce_infonce(forward + infonce_terms(right, left, partner, options.temperature), 0.5,
                        anchors, reduction);
}

InfonceLoss::InfonceLoss(const InfonceOptions& options) : options_(options) {
  check_positive(options.temperature, "infonce", "temperature");
}

LossValue InfonceLoss::evaluate(const ContrastiveBatch& batch) {
  const auto rows = validate_batch(batch, GroupBy::kInstance, "infonce");
  const Pairs pairs(rows);
  const auto forward = view_terms(rows, pairs, 0, 1, options_.temperature);
  // Half of the candidates are first views. With half of the anchors as the divisor, whichever
  // views they are, the average over processes weighted by anchors is the value of one process.
  const auto anchors = static_cast<double>(rows.num_anchors());
  if (!options_.symmetric) return reduce_infonce(forward, 1, anchors / 2, batch.reduction);
  const auto backward = view_terms(rows, pairs, 1, 0, options_.temperature);
  return reduce_infonce(forward + backward, 1, anchors, batch.reduction);
}

}  // namespace projnce::loss
