// Loss cases of the losses that compare rows with class vectors, and of the classifiers.
#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/registry.h"
#include "projnce/pipeline/loss_case_kinds.h"
#include "projnce/projection/class_matrix.h"

namespace projnce {

namespace {

using nlohmann::json;

template <class Options>
Options options_of(const Table& params) {
  return read_options<Options>(params, "loss");
}

/// The batch of a case with `num_classes`, which its labels must respect.
struct ClassCase {
  torch::Tensor z;
  int64_t num_classes;
  Table params;
  ContrastiveBatch batch;
};

ClassCase class_case(const LossCase& loss_case) {
  auto params = loss_case.params_with_tau();
  const auto num_classes = take_integer(params, "num_classes", 1, kMostClasses);
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto labels = loss_case.integers("labels", z);
  check_labels(labels, num_classes, "inputs.labels");
  return {z, num_classes, std::move(params), make_batch(z, labels)};
}

/// [K, ...] of the classes present as [C, ...] of all, zero for the rest.
torch::Tensor for_all_classes(const torch::Tensor& present, const ClassGroups& groups,
                              int64_t num_classes) {
  auto shape = present.sizes().vec();
  shape[0] = num_classes;
  return torch::zeros(shape, present.options()).index_copy(0, groups.labels, present.detach());
}

/// Class vectors [C, D] and soft labels [N, C] of a perp case.
json perp_fields(const ClassCase& input, const PerpOptions& options) {
  const auto rows = validate_batch(input.batch, GroupBy::kClass, "projnce-perp");
  const auto& groups = rows.candidates.groups;
  const bool given = options.soft_source == SoftSource::kGiven;
  const auto q =
      given ? input.batch.candidate_soft_labels
            : for_all_classes(soft_labels(rows.candidates, options).t(), groups, input.num_classes)
                  .t();
  // Classes without rows still have a mean where given soft labels weigh them.
  auto g = soft_means(q, input.z.detach());
  g = g.index_copy(0, groups.labels, project_perp(rows.candidates, options).vectors.detach());
  return {{"soft_labels", to_json(q)}, {"g", to_json(g)}};
}

}  // namespace

json evaluate_generalized_infonce_case(const LossCase& loss_case) {
  const auto options = options_of<GeneralizedInfoNCEOptions>(loss_case.params_with_tau());
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto pos = loss_case.matrix_like("g_pos", z).requires_grad_();
  const auto neg = loss_case.matrix_like("g_neg", z).requires_grad_();
  const auto labels =
      loss_case.has_input("labels") ? loss_case.integers("labels", z) : torch::arange(z.size(0));
  const auto rows = validate_batch(make_batch(z, labels), GroupBy::kClass, "selfp");
  const auto terms = generalized_infonce(rows, {.vectors = pos, .per_row = true},
                                         {.vectors = neg, .per_row = true}, options);
  return with_loss({{"selfp", to_json(terms.self_p)}, {"R", to_json(terms.ratio.mean())}},
                   terms.value.loss, {{"grad_z", z}, {"grad_g_pos", pos}, {"grad_g_neg", neg}});
}

json evaluate_projnce_case(const LossCase& loss_case) {
  const auto options = options_of<ProjnceSettings>(loss_case.params_with_tau()).options;
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto terms = projnce_terms(make_batch(z, loss_case.integers("labels", z)), options);
  return with_loss({{"selfp", to_json(terms.self_p)},
                    {"R", to_json(terms.ratio.mean())},
                    {"R_i", to_json(terms.ratio)}},
                   terms.value.loss, {{"grad_z", z}});
}

json evaluate_projnce_perp_case(const LossCase& loss_case) {
  auto input = class_case(loss_case);
  const auto options = options_of<ProjncePerpOptions>(input.params);
  if (options.perp.soft_source == SoftSource::kGiven) {
    input.batch.candidate_soft_labels = loss_case.matrix("soft_labels");
    if (input.batch.candidate_soft_labels.size(1) != input.num_classes) {
      fail("inputs.soft_labels has ", input.batch.candidate_soft_labels.size(1),
           " columns, expected num_classes = ", input.num_classes);
    }
  }
  const auto loss = projnce_perp(input.batch, options).loss;
  auto fields = perp_fields(input, options.perp);
  return with_loss(std::move(fields), loss, {{"grad_z", input.z}});
}

json evaluate_projnce_med_case(const LossCase& loss_case) {
  const auto input = class_case(loss_case);
  const auto options = options_of<ProjnceMedOptions>(input.params);
  const auto rows = validate_batch(input.batch, GroupBy::kClass, "projnce-med");
  const auto medians = project_medians(rows.candidates, {.median = options.median}).vectors;
  const auto loss = projnce_med(input.batch, options).loss;
  return with_loss(
      {{"g", to_json(for_all_classes(medians, rows.candidates.groups, input.num_classes))}}, loss,
      {{"grad_z", input.z}});
}

json evaluate_projnce_mlp_case(const LossCase& loss_case) {
  const auto input = class_case(loss_case);
  const auto options = options_of<ProjnceMlpOptions>(input.params);
  const auto w = loss_case.matrix("W").requires_grad_();
  if (w.size(0) != input.num_classes) {
    fail("inputs.W has ", w.size(0), " rows, expected num_classes = ", input.num_classes);
  }
  const auto loss = projnce_mlp(input.batch, w, options).loss;
  return with_loss({}, loss, {{"grad_z", input.z}, {"grad_W", w}});
}

json evaluate_ce_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  TableReader(params, "params").done();
  const auto logits = loss_case.matrix("logits").requires_grad_();
  return with_loss({}, cross_entropy(logits, loss_case.integers("labels", logits)),
                   {{"grad_logits", logits}});
}

json evaluate_sce_case(const LossCase& loss_case) {
  const auto options = options_of<SceOptions>(loss_case.params());
  const auto logits = loss_case.matrix("logits").requires_grad_();
  const auto labels = loss_case.integers("labels", logits);
  return with_loss({}, symmetric_cross_entropy(logits, labels, options), {{"grad_logits", logits}});
}

}  // namespace projnce
