#include "projnce/loss/leave_one_out.h"

#include <cmath>
#include <limits>
#include <utility>

#include "projnce/core/device.h"
#include "projnce/core/error.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/projection/class_groups.h"

namespace projnce::loss {

namespace {

using torch::Tensor;

constexpr double kSumTolerance = 1e-6;
/// A squared norm that is a smaller fraction of its terms is a rounding error.
constexpr double kZeroSquare = 1e-14;

/// Views of one instance have one label.
void check_instance_labels(const GroupedBatch& rows, const GroupedBatch& by_instance) {
  const auto classes = projection::on_host(rows.candidates.groups);
  const auto instances = projection::on_host(by_instance.candidates.groups);
  const auto class_of_instance = torch::zeros({instances.size()}, classes.ids.options())
                                     .index_copy(0, instances.ids, classes.ids);
  const auto expected = class_of_instance.index_select(0, instances.ids);
  const auto wrong = (expected != classes.ids).nonzero();
  if (wrong.size(0) == 0) return;
  const auto row = wrong[0].item<int64_t>();
  const auto label_of = [&](const Tensor& ids) {
    return classes.labels[ids[row].item<int64_t>()].item<int64_t>();
  };
  fail(Hint{"soft_source 'given' takes a label for each view"}, kPerpName, ": row ", row,
       " has the label ", label_of(classes.ids), ", another view of its instance the label ",
       label_of(expected), "; leave_one_out 'instance' with hard labels expects one for both");
}

/// log w_c of each class and log sum_{c in C_i} w_c, where rho_c is w_c over that sum.
struct LogPriors {
  Tensor classes;  // [K]: of the classes other than the anchor's
  Tensor own;      // [N]: of the anchor's class
  Tensor total;    // [N] or scalar
};

/// `own_count` [N]: rows of the anchor's class in O(i).
LogPriors hard_log_priors(const GroupedBatch& rows, const GroupedBatch& instances,
                          const Tensor& own_count, const ProjncePerpOptions& options,
                          const Tensor& class_priors) {
  const auto& groups = rows.candidates.groups;
  if (options.priors == PriorSource::kBatch) {
    const auto others = rows.num_candidates() - instances.class_size;  // |O(i)|
    const auto log_of = [&rows](const Tensor& counts) {
      return counts.clamp_min(1).to(rows.anchors.scalar_type()).log();
    };
    return {log_of(groups.counts), log_of(own_count), log_of(others)};
  }
  const auto weights =
      options.priors == PriorSource::kTraining
          ? upload(select_class_priors(class_priors, projection::on_host(groups).labels),
                   rows.anchors.device())
          : torch::ones({groups.size()},
                        groups.counts.options().dtype(torch::kFloat64));  // [K]
  const auto log_weights = weights.log().to(rows.anchors.scalar_type());
  return {log_weights, log_weights.index_select(0, rows.anchor_class),
          weights.sum().log().to(rows.anchors.scalar_type())};
}

/// |sum_{k in O(i)} q_kc z_k| as the norm of a difference, all rows less those of the anchor's
/// instance, [N, K]; 0 if that is rounding. `same` [N, M]: 1 for candidates of that instance.
Tensor lengths_without_instance(const Tensor& z, const Tensor& q, const Tensor& same,
                                const Tensor& instance_ids) {
  const auto sums = q.t().mm(z);                                                       // [K, D]
  const auto views = (instance_ids.unsqueeze(1) == instance_ids).to(z.scalar_type());  // [M, M]
  const auto all = sums.square().sum(/*dim=*/1);                                       // [K]
  const auto both = same.mm(q * z.mm(sums.t()));                                       // [N, K]
  const auto own = same.mm(q * (z.mm(z.t()) * views).mm(q));                           // [N, K]
  const auto squares = all - 2 * both + own;
  const auto zero = squares <= kZeroSquare * (all + own);
  // Masked before the root, whose gradient at 0 is infinite.
  return squares.masked_fill(zero, 1).sqrt().masked_fill(zero, 0);
}

/// Weights w_c of the classes of each anchor, [N, K]: rho_c is w_c over the sum of the row.
Tensor soft_weights(const Tensor& share, const SoftClasses& soft, PriorSource priors,
                    const Tensor& class_priors) {
  switch (priors) {
    case PriorSource::kBatch:
      return share;
    case PriorSource::kUniform:
      return torch::ones_like(share);
    case PriorSource::kTraining:
      return upload(select_class_priors(class_priors, soft.labels), share.device())
          .expand_as(share);
  }
  TORCH_CHECK(false, "unknown source of priors");
}

}  // namespace

GroupedBatch group_by_instance(ContrastiveBatch batch) {
  if (!batch.anchor_instances.defined() && !batch.candidate_instances.defined()) {
    batch.candidate_instances = torch::arange(
        batch.candidates.size(0), batch.candidate_labels.options().dtype(torch::kInt64));
    batch.anchor_instances =
        batch.candidate_instances.narrow(0, batch.anchor_offset, batch.anchors.size(0));
  }
  return validate_batch(batch, GroupBy::kInstance, kPerpName);
}

LeaveOneOutTerms hard_leave_one_out(const GroupedBatch& rows, const GroupedBatch& instances,
                                    const ProjncePerpOptions& options, const Tensor& class_priors) {
  const auto& groups = rows.candidates.groups;
  check_instance_labels(rows, instances);
  const auto z = options.detach_g ? rows.candidates.rows.detach() : rows.candidates.rows;  // [M, D]
  const auto sums = projection::class_sums(groups, z);                                     // [K, D]
  const auto of_instances = projection::class_sums(instances.candidates.groups, z);        // [U, D]

  // g_c^(i) is the centroid of class c; for c = y_i it is the mean over O(i).
  const auto own_count = rows.class_size - instances.class_size;  // [N]
  const auto valid = own_count > 0;
  const auto own_sums = sums.index_select(0, rows.anchor_class) -
                        of_instances.index_select(0, instances.anchor_class);  // [N, D]
  auto own = own_sums.masked_fill(valid.logical_not().unsqueeze(1), 0) /
             own_count.clamp_min(1).to(z.scalar_type()).unsqueeze(1);
  auto centroids = sums / groups.counts.to(z.scalar_type()).unsqueeze(1);
  if (options.normalize_g) {
    own = projection::unit_rows(own);
    centroids = projection::unit_rows(centroids);
  }

  const auto positive = (rows.anchors * own).sum(/*dim=*/1) / options.temperature;
  const auto guard = nan_guard(centroids.detach());
  if (groups.size() == 1) return {positive, positive, valid, guard};
  // log sum_c rho_c e^{s_ic}: one candidate with the bias log w_c for each other class
  const auto prior = hard_log_priors(rows, instances, own_count, options, class_priors);
  const auto others =
      pairwise_logsumexp({.anchors = rows.anchors,
                          .candidates = centroids,
                          .scale = 1 / options.temperature,
                          .anchor_class = rows.anchor_class,
                          .candidate_class = torch::arange(groups.size(), groups.counts.options()),
                          .bias = prior.classes})[1];
  return {positive, torch::logaddexp(positive + prior.own, others) - prior.total, valid, guard};
}

LeaveOneOutTerms soft_leave_one_out(const GroupedBatch& rows, const GroupedBatch& instances,
                                    const SoftClasses& soft, const ProjncePerpOptions& options,
                                    const Tensor& class_priors) {
  const auto constant_if_detached = [&options](const Tensor& values) {
    return (options.detach_g ? values.detach() : values).to(torch::kFloat64);
  };
  const auto anchors = rows.anchors.to(torch::kFloat64);             // [N, D]
  const auto z = constant_if_detached(rows.candidates.rows);         // [M, D]
  const auto q = constant_if_detached(soft.q);                       // [M, K]
  const auto& ids = instances.candidates.groups.ids;                 // [M]
  const auto is_other = instances.anchor_class.unsqueeze(1) != ids;  // [N, M]
  const auto other = is_other.to(torch::kFloat64);

  // s_ic = z_i . sum_{k in O(i)} q_kc z_k / (their total weight, or the norm of the sum) / t
  const auto share = other.mm(q);  // [N, K]
  const auto occurs = other.mm((q.detach() > 0).to(torch::kFloat64)) > 0;
  const auto length = options.normalize_g ? lengths_without_instance(z, q, 1 - other, ids) : share;
  const auto none = occurs.logical_not() | (length == 0);
  const auto dots = (anchors.mm(z.t()) * other).mm(q).masked_fill(none, 0);
  const auto scores = dots / length.masked_fill(none, 1) / options.temperature;

  // log sum_{c in C_i} rho_c e^{s_ic}
  const auto weights = soft_weights(share, soft, options.priors, class_priors);
  const auto known = occurs & (weights.detach() > 0);  // [N, K]: C_i
  const auto unknown = known.logical_not();
  const auto some = known.any(/*dim=*/1);  // [N]
  const auto total = weights.masked_fill(unknown, 0).sum(/*dim=*/1, /*keepdim=*/true);
  const auto log_rho = weights.masked_fill(unknown, 1).log() -
                       total.masked_fill(some.logical_not().unsqueeze(1), 1).log();
  // If all classes were minus infinity, the gradient would be NaN.
  const auto excluded = unknown & some.unsqueeze(1);
  const auto logsumexp = (scores + log_rho)
                             .masked_fill(excluded, -std::numeric_limits<double>::infinity())
                             .logsumexp(/*dim=*/1);
  const auto own = soft.anchor_class.unsqueeze(1);
  const auto type = rows.anchors.scalar_type();
  return {scores.gather(1, own).squeeze(1).to(type), logsumexp.to(type),
          known.gather(1, own).squeeze(1),
          (nan_guard(z.detach()) + nan_guard(q.detach())).to(type)};
}

LossValue leave_one_out_loss(const GroupedBatch& rows, const LeaveOneOutTerms& terms) {
  const auto counted = [&terms](const Tensor& per_anchor) {
    return torch::where(terms.valid, per_anchor, torch::zeros_like(per_anchor));
  };
  const auto guard = rows.nan_guard + terms.nan_guard;
  const auto loss = reduce(counted(terms.logsumexp - terms.positive), rows.reduction) + guard;
  if (!rows.with_parts) return {loss, {}};
  const auto alignment = counted(-terms.positive.detach()).mean() + guard;
  return {loss,
          {{"alignment", alignment},
           {"uniformity", loss.detach() - alignment},
           {"valid_anchors", terms.valid.to(loss.scalar_type()).mean()}}};
}

void check_class_priors(const Tensor& priors) {
  if (!priors.defined() || priors.dim() != 1 || priors.numel() == 0 ||
      !priors.is_floating_point()) {
    fail(kPerpName, ": class priors are ",
         priors.defined() ? concat(priors.scalar_type(), " ", priors.sizes()) : "missing",
         ", expected a list of numbers, one for each class");
  }
  if (!(torch::isfinite(priors) & (priors >= 0)).all().item<bool>()) {
    fail(kPerpName, ": a class prior is negative or not finite");
  }
  const double sum = priors.to(torch::kFloat64).sum().item<double>();
  if (std::abs(sum - 1) > kSumTolerance) {
    fail(kPerpName, ": the class priors sum to ", sum, ", expected 1");
  }
}

Tensor select_class_priors(const Tensor& priors, const Tensor& labels) {
  projection::check_labels(labels, priors.size(0), concat(kPerpName, ": class priors"));
  return priors.detach().to(torch::kCPU, torch::kFloat64).index_select(0, labels);
}

}  // namespace projnce::loss
