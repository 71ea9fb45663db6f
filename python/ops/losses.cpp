#include "python/ops/losses.h"

#include <string>

#include "projnce/core/error.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/option_readers.h"
#include "projnce/loss/simclr.h"
#include "projnce/projection/class_matrix.h"
#include "projnce/projection/registry.h"

namespace projnce::ops {

namespace {

/// The arguments of a loss over rows: `second` stands behind the labels, `more` at the end.
std::string row_arguments(const std::string& second = "", const std::string& more = "") {
  return "Tensor features, Tensor? labels=None, " + second +
         "*, Tensor? instances=None, Tensor? candidates=None, Tensor? candidate_labels=None, "
         "Tensor? candidate_instances=None, int anchor_offset=0, bool normalize=False" +
         more;
}

constexpr const char* kSupConOptions =
    "float? temperature=None, str? variant=None, bool? include_self_pos=None, "
    "bool? include_self_denom=None, str? empty_pos=None, float? base_tau=None, "
    "bool? detach_pos=None";

template <class Options>
Options read(Table& table) {
  Options options;
  read_options(table, options);
  return options;
}

template <class Options>
void check(Table& table) {
  read<Options>(table);
}

ContrastiveBatch batch_with_instances(const LossCall& call, const char* loss) {
  auto batch = call.batch();
  if (!batch.anchor_instances.defined()) {
    fail(loss,
         " compares views: expected features as [samples, views, dim], or instances beside "
         "them that are equal for views of one sample");
  }
  return batch;
}

template <class Options, LossValue (*loss)(const ContrastiveBatch&, const Options&)>
LossValue evaluate(LossCall& call) {
  const auto options = read<Options>(call.options);
  return loss(call.batch(), options);
}

LossValue evaluate_simclr(LossCall& call) {
  const auto options = read<SimclrOptions>(call.options);
  return simclr(batch_with_instances(call, "simclr"), options);
}

/// Without labels the views of a sample are its class, as in the loss of the article's authors.
LossValue evaluate_supcon(LossCall& call) {
  if (!call.tensor("labels").defined()) return evaluate_simclr(call);
  return evaluate<SupConOptions, supcon>(call);
}

LossValue evaluate_rince(LossCall& call) {
  const auto options = read<RinceOptions>(call.options);
  if (call.tensor("labels").defined()) return rince(call.batch(), options);
  return rince(batch_with_instances(call, "rince"), options, GroupBy::kInstance);
}

LossValue evaluate_projnce_mlp(LossCall& call) {
  const auto options = read<ProjnceMlpOptions>(call.options);
  if (!call.tensor("class_vectors").defined()) fail("projnce-mlp: expected class_vectors [C, D]");
  return projnce_mlp(call.batch(), call.tensor("class_vectors"), options);
}

LossValue evaluate_infonce(LossCall& call) {
  const auto options = read<InfonceOptions>(call.options);
  return infonce(call.tensor("a"), call.tensor("b"), options);
}

LossValue with_accuracy(const torch::Tensor& loss, const LossCall& call) {
  return {loss, {{"accuracy", accuracy(call.tensor("logits"), call.tensor("labels"))}}};
}

LossValue evaluate_ce(LossCall& call) {
  return with_accuracy(cross_entropy(call.tensor("logits"), call.tensor("labels")), call);
}

LossValue evaluate_sce(LossCall& call) {
  const auto options = read<SceOptions>(call.options);
  const auto loss = symmetric_cross_entropy(call.tensor("logits"), call.tensor("labels"), options);
  return with_accuracy(loss, call);
}

struct SelfpCall {
  SelfpOptions options;
  std::string pos = "centroid";
  std::string neg = "sample";
};

SelfpCall read_selfp(Table& table) {
  SelfpCall call;
  auto reader = loss_reader(table);
  // Those that need nothing but rows and labels; others are given as vectors.
  const std::vector<std::pair<std::string, std::string>> names = {
      {"centroid", "centroid"}, {"sample", "sample"}, {"perp", "perp"}, {"median", "median"}};
  reader.choice("projection_pos", call.pos, names).choice("projection_neg", call.neg, names);
  read_fields(reader, call.options);
  reader.done();
  return call;
}

void check_selfp(Table& table) {
  read_selfp(table);
}

/// Vectors that the caller gave as the argument `side`, one for each row, or those of the
/// projection called `name`.
Projected project(const LossCall& call, const char* side, const std::string& name,
                  const ContrastRows& rows) {
  const auto given = call.tensor(side);
  if (!given.defined()) {
    Table defaults;
    return make_projection(name, defaults, {})->project(rows.candidates);
  }
  const auto features =
      call.tensor(call.tensor("candidates").defined() ? "candidates" : "features");
  const auto shape = rows.candidates.rows.sizes();
  if (given.sizes() != features.sizes() && given.sizes() != shape) {
    fail("selfp: ", side, " has shape ", given.sizes(), ", expected ", features.sizes(),
         ", a vector for each row");
  }
  if (!given.is_floating_point()) {
    fail("selfp: ", side, " has type ", given.scalar_type(), ", expected a floating-point tensor");
  }
  return {.vectors = given.reshape(shape).to(rows.anchors.scalar_type()), .per_row = true};
}

LossValue evaluate_selfp(LossCall& call) {
  const auto [options, pos_name, neg_name] = read_selfp(call.options);
  const auto rows = contrast_rows(call.batch(), GroupBy::kClass, "selfp");
  const auto pos = project(call, "pos", pos_name, rows);
  const bool same =
      !call.tensor("neg").defined() && !call.tensor("pos").defined() && pos_name == neg_name;
  return selfp(rows, pos, same ? pos : project(call, "neg", neg_name, rows), options).value;
}

std::vector<LossOperator> make_operators() {
  const auto rows = row_arguments();
  return {
      // alphabetical
      {"ce", "Tensor logits, Tensor labels", "", evaluate_ce,
       [](Table& table) { loss_reader(table).done(); }},
      {"infonce", "Tensor a, Tensor b", "float? temperature=None, bool? symmetric=None",
       evaluate_infonce, check<InfonceOptions>},
      {"projnce", rows,
       "str? preset=None, float? temperature=None, float? beta=None, "
       "bool? include_self_pos=None, bool? include_self_denom=None, "
       "str? r_exclude=None, str? r_centroid=None, str? empty_pos=None, "
       "bool? detach_centroid=None",
       evaluate<ProjnceOptions, projnce>, check<ProjnceOptions>},
      {"projnce_med", rows,
       "float? temperature=None, str? median=None, str? denom=None, "
       "bool? normalize_g=None, bool? detach_g=None",
       evaluate<ProjnceMedOptions, projnce_med>, check<ProjnceMedOptions>},
      {"projnce_mlp", row_arguments("Tensor? class_vectors=None, "),
       "float? temperature=None, bool? normalize_g=None, str? denom=None, "
       "str? class_weight=None, int? hidden=None",
       evaluate_projnce_mlp, check<ProjnceMlpOptions>},
      {"projnce_perp", row_arguments("", ", Tensor? soft_labels=None"),
       "float? temperature=None, str? soft_source=None, str? kernel=None, "
       "str? metric=None, float? bandwidth=None, str? distance_scale=None, "
       "bool? nw_exclude_self=None, bool? detach_q=None, str? denom=None, "
       "bool? normalize_g=None, bool? detach_g=None",
       evaluate<ProjncePerpOptions, projnce_perp>, check<ProjncePerpOptions>},
      {"rince", rows,
       "float? temperature=None, float? q=None, float? lam=None, str? denom=None, "
       "str? empty_pos=None",
       evaluate_rince, check<RinceOptions>},
      {"sce", "Tensor logits, Tensor labels, *",
       "float? alpha=None, float? beta=None, float? A=None", evaluate_sce, check<SceOptions>},
      {"selfp", row_arguments("", ", Tensor? pos=None, Tensor? neg=None"),
       "str? projection_pos=None, str? projection_neg=None, float? temperature=None, "
       "float? beta=None, str? denom=None, str? r_exclude=None, str? empty_pos=None",
       evaluate_selfp, check_selfp},
      {"simclr", rows, kSupConOptions, evaluate_simclr, check<SimclrOptions>},
      {"supcon", rows, kSupConOptions, evaluate_supcon, check<SupConOptions>},
      {"symnce", rows,
       "float? temperature=None, float? beta=None, str? form=None, "
       "str? empty_pos=None",
       evaluate<SymnceOptions, symnce>, check<SymnceOptions>},
  };
}

}  // namespace

const std::vector<LossOperator>& loss_operators() {
  static const auto operators = make_operators();
  return operators;
}

}  // namespace projnce::ops
