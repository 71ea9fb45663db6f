#include <torch/types.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/golden/loss_cases.h"
#include "projnce/information/mi_bounds.h"
#include "projnce/information/mixed_ksg.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/joint.h"
#include "projnce/loss/registry.h"
#include "projnce/loss/simclr.h"
#include "projnce/projection/class_groups.h"

// Loss cases of the contrastive losses, of the classifiers and of Mixed KSG.

// Loss cases of the certified bounds on mutual information.

namespace projnce::golden {

namespace {

using nlohmann::json;

template <class Options>
Options options_of(const LossCase& loss_case) {
  return read_options<Options>(loss_case.params_with_tau(), "loss");
}

/// Batch with labels and, if the case has them, instances.
loss::ContrastiveBatch batch_of(const LossCase& loss_case, const torch::Tensor& z) {
  const auto labels = loss_case.integers("labels", z);
  if (!loss_case.has_input("instance")) return loss::make_batch(z, labels);
  return loss::make_batch(z, labels, loss_case.integers("instance", z));
}

/// Batch for losses that group by instance; the labels are not used.
loss::ContrastiveBatch instance_batch(const LossCase& loss_case, const torch::Tensor& z) {
  const auto instances = loss_case.integers("instance", z);
  return loss::make_batch(z, instances, instances);
}

struct JointParams {
  double temperature = 0;
  double theta = 0;
  std::string sup;
  double beta = 0;
  loss::ProjncePreset preset = loss::ProjncePreset::kLeaveOneOut;
  bool normalize_g = false;
};

JointParams joint_params(const LossCase& loss_case) {
  const auto table = loss_case.params_with_tau();
  JointParams params;
  TableReader reader(table, "params");
  reader.field("temperature", params.temperature, above(0))
      .field("theta", params.theta, between(0, 1))
      .choice("sup", params.sup,
              {{"supcon", std::string("supcon")},
               {"projnce", std::string("projnce")},
               {"projnce_mlp", std::string("projnce_mlp")}})
      .field("beta", params.beta)
      .choice("preset", params.preset,
              {{"loo", loss::ProjncePreset::kLeaveOneOut},
               {"paper", loss::ProjncePreset::kPaper},
               {"allpairs", loss::ProjncePreset::kAllPairs}})
      .field("normalize_g", params.normalize_g);
  reader.done();
  return params;
}

loss::LossValue supervised_part(const LossCase& loss_case, const loss::ContrastiveBatch& batch,
                                const JointParams& params) {
  if (params.sup == "projnce") {
    auto options = loss::projnce_preset(params.preset);
    options.temperature = params.temperature;
    options.beta = params.beta;
    return loss::projnce(batch, options);
  }
  if (params.sup == "projnce_mlp") {
    return loss::projnce_mlp(
        batch, loss_case.matrix("W"),
        {.temperature = params.temperature, .normalize_g = params.normalize_g});
  }
  return loss::supcon(batch, {.temperature = params.temperature});
}

}  // namespace

json evaluate_infonce_case(const LossCase& loss_case) {
  const auto options = options_of<loss::InfonceOptions>(loss_case);
  const auto a = loss_case.matrix("a").requires_grad_();
  const auto b = loss_case.matrix_like("b", a).requires_grad_();
  return with_loss({}, loss::infonce(a, b, options).loss, {{"grad_a", a}, {"grad_b", b}});
}

json evaluate_joint_case(const LossCase& loss_case) {
  const auto params = joint_params(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto batch = batch_of(loss_case, z);
  const auto sup = supervised_part(loss_case, batch, params);
  const auto self = loss::simclr(batch, {.temperature = params.temperature});
  const auto value = loss::joint(sup, self, params.theta);
  return with_loss({{"loss_sup", to_json(sup.loss)}, {"loss_self", to_json(self.loss)}}, value.loss,
                   {{"grad_z", z}});
}

json evaluate_ntxent_case(const LossCase& loss_case) {
  const auto options = options_of<loss::SimclrOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  return with_loss({}, loss::simclr(instance_batch(loss_case, z), options).loss, {{"grad_z", z}});
}

json evaluate_rince_case(const LossCase& loss_case) {
  const auto options = options_of<loss::RinceOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  const bool supervised = loss_case.has_input("labels");
  const auto value =
      supervised ? loss::rince(batch_of(loss_case, z), options)
                 : loss::rince(instance_batch(loss_case, z), options, loss::GroupBy::kInstance);
  return with_loss({}, value.loss, {{"grad_z", z}});
}

json evaluate_supcon_case(const LossCase& loss_case) {
  const auto options = options_of<loss::SupConOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  return with_loss({}, loss::supcon(batch_of(loss_case, z), options).loss, {{"grad_z", z}});
}

json evaluate_symnce_case(const LossCase& loss_case) {
  const auto options = options_of<loss::SymnceOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  return with_loss({}, loss::symnce(batch_of(loss_case, z), options).loss, {{"grad_z", z}});
}

json evaluate_mixed_ksg_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  const auto k = take_integer(params, "k", 1, std::numeric_limits<int64_t>::max());
  TableReader(params, "params").done();
  // The estimator counts ties, so its input is always float64.
  return {{"mi", information::mixed_ksg(loss_case.matrix_or_column("x", torch::kFloat64),
                                        loss_case.matrix_or_column("y", torch::kFloat64), k)}};
}

namespace {

template <class Options>
Options options_of(const Table& params) {
  return read_options<Options>(params, "loss");
}

/// Batch of a case with `num_classes`; throws if a label is out of range.
struct ClassCase {
  torch::Tensor z;
  int64_t num_classes;
  Table params;
  loss::ContrastiveBatch batch;
};

ClassCase class_case(const LossCase& loss_case) {
  auto params = loss_case.params_with_tau();
  const auto num_classes = take_integer(params, "num_classes", 1, kMaxClasses);
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto labels = loss_case.integers("labels", z);
  projection::check_labels(labels, num_classes, "inputs.labels");
  return {z, num_classes, std::move(params), batch_of(loss_case, z)};
}

/// Scatters [K, ...] of the present classes into [C, ...] of all classes; zero for the others.
torch::Tensor for_all_classes(const torch::Tensor& present, const projection::ClassGroups& groups,
                              int64_t num_classes) {
  auto shape = present.sizes().vec();
  shape[0] = num_classes;
  return torch::zeros(shape, present.options()).index_copy(0, groups.labels, present.detach());
}

/// Class vectors [C, D] and soft labels [N, C] of a perp case.
json perp_fields(const ClassCase& input, const projection::PerpOptions& options) {
  const auto rows = loss::validate_batch(input.batch, loss::GroupBy::kClass, "projnce-perp");
  const auto& groups = rows.candidates.groups;
  const bool given = options.soft_source == projection::SoftSource::kGiven;
  const auto q = given ? input.batch.candidate_soft_labels
                       : for_all_classes(projection::soft_labels(rows.candidates, options).t(),
                                         groups, input.num_classes)
                             .t();
  // With given soft labels, classes without rows still have a weighted mean.
  auto g = projection::soft_means(q, input.z.detach());
  g = g.index_copy(0, groups.labels,
                   projection::project_perp(rows.candidates, options).vectors.detach());
  return {{"soft_labels", to_json(q)}, {"g", to_json(g)}};
}

}  // namespace

json evaluate_generalized_infonce_case(const LossCase& loss_case) {
  const auto options = options_of<loss::GeneralizedInfoNCEOptions>(loss_case.params_with_tau());
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto pos = loss_case.matrix_like("g_pos", z).requires_grad_();
  const auto neg = loss_case.matrix_like("g_neg", z).requires_grad_();
  const auto labels =
      loss_case.has_input("labels") ? loss_case.integers("labels", z) : torch::arange(z.size(0));
  const auto rows = loss::validate_batch(loss::make_batch(z, labels), loss::GroupBy::kClass,
                                         "generalized-infonce");
  const auto terms = loss::generalized_infonce(rows, {.vectors = pos, .per_row = true},
                                               {.vectors = neg, .per_row = true}, options);
  return with_loss({{"selfp", to_json(terms.self_p)}, {"R", to_json(terms.ratio.mean())}},
                   terms.value.loss, {{"grad_z", z}, {"grad_g_pos", pos}, {"grad_g_neg", neg}});
}

json evaluate_projnce_case(const LossCase& loss_case) {
  const auto options = options_of<loss::ProjnceSettings>(loss_case.params_with_tau()).options;
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto terms =
      loss::projnce_terms(loss::make_batch(z, loss_case.integers("labels", z)), options);
  return with_loss({{"selfp", to_json(terms.self_p)},
                    {"R", to_json(terms.ratio.mean())},
                    {"R_i", to_json(terms.ratio)}},
                   terms.value.loss, {{"grad_z", z}});
}

json evaluate_projnce_perp_case(const LossCase& loss_case) {
  auto input = class_case(loss_case);
  const auto options = options_of<loss::ProjncePerpOptions>(input.params);
  if (options.perp.soft_source == projection::SoftSource::kGiven) {
    input.batch.candidate_soft_labels = loss_case.matrix("soft_labels");
    if (input.batch.candidate_soft_labels.size(1) != input.num_classes) {
      fail("inputs.soft_labels has ", input.batch.candidate_soft_labels.size(1),
           " columns, expected num_classes = ", input.num_classes);
    }
  }
  const auto priors = loss_case.has_input("class_priors")
                          ? loss_case.matrix_or_column("class_priors", torch::kFloat64).squeeze(1)
                          : torch::Tensor();
  if (priors.defined() && priors.numel() != input.num_classes) {
    fail("inputs.class_priors has ", priors.numel(),
         " numbers, expected num_classes = ", input.num_classes);
  }
  const auto loss = loss::projnce_perp(input.batch, options, priors).loss;
  auto fields = perp_fields(input, options.perp);
  return with_loss(std::move(fields), loss, {{"grad_z", input.z}});
}

json evaluate_projnce_med_case(const LossCase& loss_case) {
  const auto input = class_case(loss_case);
  const auto options = options_of<loss::ProjnceMedOptions>(input.params);
  const auto rows = loss::validate_batch(input.batch, loss::GroupBy::kClass, "projnce-med");
  const auto medians =
      projection::project_medians(rows.candidates, {.median = options.median}).vectors;
  const auto loss = loss::projnce_med(input.batch, options).loss;
  return with_loss(
      {{"g", to_json(for_all_classes(medians, rows.candidates.groups, input.num_classes))}}, loss,
      {{"grad_z", input.z}});
}

json evaluate_projnce_mlp_case(const LossCase& loss_case) {
  const auto input = class_case(loss_case);
  const auto options = options_of<loss::ProjnceMlpOptions>(input.params);
  const auto w = loss_case.matrix("W").requires_grad_();
  if (w.size(0) != input.num_classes) {
    fail("inputs.W has ", w.size(0), " rows, expected num_classes = ", input.num_classes);
  }
  const auto loss = loss::projnce_mlp(input.batch, w, options).loss;
  return with_loss({}, loss, {{"grad_z", input.z}, {"grad_W", w}});
}

json evaluate_ce_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  TableReader(params, "params").done();
  const auto logits = loss_case.matrix("logits").requires_grad_();
  return with_loss({}, loss::cross_entropy(logits, loss_case.integers("labels", logits)),
                   {{"grad_logits", logits}});
}

json evaluate_sce_case(const LossCase& loss_case) {
  const auto options = options_of<loss::SceOptions>(loss_case.params());
  const auto logits = loss_case.matrix("logits").requires_grad_();
  const auto labels = loss_case.integers("labels", logits);
  return with_loss({}, loss::symmetric_cross_entropy(logits, labels, options),
                   {{"grad_logits", logits}});
}

namespace {

enum class BoundForm { kPair, kGeneral, kClass };

struct BoundCase {
  BoundForm form = BoundForm::kPair;
  information::BoundOptions options;
  std::vector<double> missing;  // classes without a vector
};

BoundCase bound_case(const LossCase& loss_case) {
  auto params = loss_case.params_with_tau();
  BoundCase result;
  result.options.batches = 1;
  auto& priors = result.options.priors;
  priors.num_classes = take_integer(params, "num_classes", 1, kMaxClasses);
  const bool has_priors = params.has("priors");
  std::vector<double> values;
  TableReader reader(params, "params");
  reader
      .choice("form", result.form,
              {{"pair", BoundForm::kPair},
               {"general", BoundForm::kGeneral},
               {"class", BoundForm::kClass}})
      .field("temperature", result.options.temperature)
      .field("priors", values)
      .field("priors_estimated", priors.estimated)
      .field("missing", result.missing, between(0, static_cast<double>(priors.num_classes - 1)));
  reader.done();
  if (has_priors) priors.values = torch::tensor(values, torch::kFloat64);
  return result;
}

/// Class vectors, with NaN rows for classes without a vector.
torch::Tensor class_vectors_of(const LossCase& loss_case, const BoundCase& bound) {
  const auto vectors = loss_case.matrix("class_vectors");
  for (const double missing : bound.missing) {
    const auto row = static_cast<int64_t>(missing);
    if (static_cast<double>(row) != missing || row >= vectors.size(0)) {
      fail("params.missing has ", missing, ", expected a row index of inputs.class_vectors");
    }
    vectors[row].fill_(std::nan(""));
  }
  return vectors;
}

information::BoundResult evaluate_bound(const LossCase& loss_case, const BoundCase& bound) {
  const auto z = loss_case.matrix("z");
  information::LabeledRows rows{.embeddings = z, .labels = loss_case.integers("labels")};
  if (loss_case.has_input("instance")) rows.instances = loss_case.integers("instance");
  if (bound.form == BoundForm::kPair) return information::pair_bound(rows, bound.options);
  const auto vectors = class_vectors_of(loss_case, bound);
  if (bound.form == BoundForm::kClass)
    return information::class_bound(rows, vectors, bound.options);
  const auto negatives =
      loss_case.has_input("negatives") ? loss_case.matrix("negatives") : torch::Tensor();
  return information::general_bound(rows, vectors, negatives, bound.options);
}

}  // namespace

json evaluate_bounds_case(const LossCase& loss_case) {
  const auto bound = bound_case(loss_case);
  const auto result = evaluate_bound(loss_case, bound);
  return {{"mi_bound", result.value},
          {"mi_bound_normalized", result.normalized},
          {"terms", to_json(result.terms)},
          {"log_ratio", to_json(result.log_ratio)},
          {"mean_ratio", to_json(result.mean_ratio)}};
}

}  // namespace projnce::golden
