#include "projnce/loss/projnce_perp.h"

#include <string>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/loss/leave_one_out.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"

namespace projnce::loss {

namespace {

void check_with_priors(const ProjncePerpOptions& options, const torch::Tensor& class_priors) {
  check_options(options, kPerpName);
  if (options.priors != PriorSource::kTraining) return;
  if (!class_priors.defined()) {
    fail(Hint{"compute them with information::smoothed_priors(training labels, classes)"},
         kPerpName,
         ": priors 'training' needs class_priors, the class frequencies of the training set");
  }
  check_class_priors(class_priors);
}

/// pi is 0 for no class that occurs, and has an entry for each column of given soft labels.
void check_priors_of_batch(const torch::Tensor& class_priors, const GroupedBatch& rows) {
  const auto labels = projection::on_host(rows.candidates.groups).labels;
  const auto impossible = (select_class_priors(class_priors, labels) == 0).nonzero();
  if (impossible.size(0) > 0) {
    fail(kPerpName, ": the prior of class ", labels[impossible[0].item<int64_t>()].item<int64_t>(),
         " is 0, but the class occurs in the batch");
  }
  const auto& soft = rows.candidates.soft_labels;
  if (soft.defined() && soft.dim() == 2 && soft.size(1) != class_priors.size(0)) {
    fail(kPerpName, ": there are ", counted(class_priors.size(0), "class prior"), ", expected ",
         soft.size(1), ", one for each column of the soft labels");
  }
}

/// q and its columns: those of all classes if q is given, those of the classes present otherwise.
SoftClasses soft_classes(const GroupedBatch& rows, const projection::PerpOptions& options) {
  const auto& groups = rows.candidates.groups;
  if (options.soft_source != projection::SoftSource::kGiven) {
    return {projection::soft_labels(rows.candidates, options), projection::on_host(groups).labels,
            rows.anchor_class};
  }
  const auto q = projection::given_soft_labels(rows.candidates);  // [M, C]
  return {q, torch::arange(q.size(1)), groups.labels.index_select(0, rows.anchor_class)};
}

/// l_i = -s_{i,y_i} + log sum_{c in C_i} rho_c e^{s_ic},  s_ic = z_i.g_c^(i)/t
LossValue perp_leave_one_out(const ContrastiveBatch& batch, const GroupedBatch& rows,
                             const ProjncePerpOptions& options, const torch::Tensor& class_priors) {
  if (options.priors == PriorSource::kTraining) check_priors_of_batch(class_priors, rows);
  const auto instances = group_by_instance(batch);
  const bool hard = options.perp.soft_source == projection::SoftSource::kHard;
  return leave_one_out_loss(
      rows, hard ? hard_leave_one_out(rows, instances, options, class_priors)
                 : soft_leave_one_out(rows, instances, soft_classes(rows, options.perp), options,
                                      class_priors));
}

}  // namespace

void check_options(const ProjncePerpOptions& options, const std::string& source) {
  check_positive(options.temperature, source, "temperature");
  projection::check_options(options.perp.nw);
  const bool leaves_out = options.leave_one_out == LeaveOneOut::kInstance;
  if (leaves_out && options.denominator == Exclude::kSelf) {
    fail(Hint{"set denominator to 'all'"}, source,
         ": leave_one_out = 'instance' excludes the anchor from every class vector, so denominator "
         "= "
         "'exclude_self' has no meaning");
  }
  if (!leaves_out && options.priors != PriorSource::kBatch) {
    fail(Hint{"set leave_one_out to 'instance', or priors to 'batch'"}, source,
         ": priors other than 'batch' belong to leave_one_out = 'instance'");
  }
}

LossValue projnce_perp(const ContrastiveBatch& batch, const ProjncePerpOptions& options,
                       const torch::Tensor& class_priors) {
  check_with_priors(options, class_priors);
  const auto grouped = validate_batch(batch, GroupBy::kClass, kPerpName);
  if (options.leave_one_out == LeaveOneOut::kInstance) {
    return perp_leave_one_out(batch, grouped, options, class_priors);
  }
  // g_c = sum_k q_kc z_k / sum_k q_kc, an estimate of E[Z | C = c] from soft labels q
  const auto [rows, g] =
      use_class_vectors(grouped, projection::project_perp(grouped.candidates, options.perp),
                        {.normalize = options.normalize_g, .detach = options.detach_g}, kPerpName);
  // l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t}
  const ProjectedScores scores(rows, g, options.temperature);
  return class_infonce(rows, scores.positive(), scores.logsumexp(options.denominator),
                       options.denominator);
}

ProjncePerpLoss::ProjncePerpLoss(const ProjncePerpOptions& options,
                                 const torch::Tensor& class_priors)
    : options_(options), class_priors_(class_priors) {
  check_with_priors(options, class_priors);
}

LossValue ProjncePerpLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_perp(batch, options_, class_priors_);
}

LossCritic ProjncePerpLoss::critic(const torch::Tensor& rows, const torch::Tensor& labels,
                                   int64_t num_classes) {
  const auto source = options_.perp.soft_source;
  // Soft labels of other rows are not known; their means are near the class centroids.
  if (source == projection::SoftSource::kGiven) return {.compares_rows = false};
  // Callers have the centroids of all training rows.
  if (source == projection::SoftSource::kHard && !options_.normalize_g) {
    return {.compares_rows = false};
  }
  const torch::NoGradGuard no_gradient;
  const auto grouped = validate_batch(make_batch(rows, labels), GroupBy::kClass, kPerpName);
  const auto g = projection::project_perp(grouped.candidates, options_.perp).vectors;
  return {.class_vectors = projection::vectors_by_label(
              grouped.candidates.groups, options_.normalize_g ? projection::unit_rows(g) : g,
              num_classes),
          .compares_rows = false};
}

}  // namespace projnce::loss
