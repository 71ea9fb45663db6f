#include "python/ops/losses.h"

#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/registry.h"
#include "projnce/projection/centroid.h"

namespace projnce::ops {

namespace {

template <class Options>
Options options_of(const LossCall& call) {
  return read_scalars<Options>(call.options);
}

template <class Options, loss::LossValue (*loss)(const loss::ContrastiveBatch&, const Options&)>
loss::LossValue evaluate(const LossCall& call) {
  return loss(call.batch(), options_of<Options>(call));
}

loss::LossValue evaluate_simclr(const LossCall& call) {
  return loss::simclr(call.batch_with_instances("simclr"), options_of<loss::SimclrOptions>(call));
}

/// Without labels the views of a sample are its class, as in the code of the article's authors.
loss::LossValue evaluate_supcon(const LossCall& call) {
  if (!call.tensors[kLabels].defined()) return evaluate_simclr(call);
  return evaluate<loss::SupConOptions, loss::supcon>(call);
}

loss::LossValue evaluate_rince(const LossCall& call) {
  const auto options = options_of<loss::RinceOptions>(call);
  if (call.tensors[kLabels].defined()) return loss::rince(call.batch(), options);
  return loss::rince(call.batch_with_instances("rince"), options, loss::GroupBy::kInstance);
}

loss::LossValue evaluate_projnce_mlp(const LossCall& call) {
  return loss::projnce_mlp(call.batch(), call.tensors[kExtra],
                           options_of<loss::ProjnceMlpOptions>(call));
}

loss::LossValue evaluate_projnce_perp(const LossCall& call) {
  auto batch = call.batch_of_views();
  batch.candidate_soft_labels = call.for_each_candidate(call.tensors[kExtra], "soft_labels");
  return loss::projnce_perp(batch, options_of<loss::ProjncePerpOptions>(call),
                            call.tensors[kExtra2]);
}

loss::LossValue evaluate_infonce(const LossCall& call) {
  return loss::infonce(call.tensors[0], call.tensors[1], options_of<loss::InfonceOptions>(call),
                       call.reduction);
}

loss::LossValue with_accuracy(const torch::Tensor& loss, const LossCall& call) {
  if (!call.with_parts) return {loss, {}};
  return {loss, {{"accuracy", loss::accuracy(call.tensors[0], call.tensors[1])}}};
}

loss::LossValue evaluate_ce(const LossCall& call) {
  return with_accuracy(loss::cross_entropy(call.tensors[0], call.tensors[1], call.reduction), call);
}

loss::LossValue evaluate_sce(const LossCall& call) {
  const auto loss = loss::symmetric_cross_entropy(
      call.tensors[0], call.tensors[1], options_of<loss::SceOptions>(call), call.reduction);
  return with_accuracy(loss, call);
}

projection::Projected project(NamedProjection projection,
                              const projection::CandidateRows& candidates) {
  switch (projection) {
    case NamedProjection::kCentroid:
      return projection::project_centroids(candidates, projection::CentroidOptions());
    case NamedProjection::kSample:
      return {.vectors = candidates.rows, .per_row = true, .is_sample = true};
    case NamedProjection::kPerp:
      return projection::project_perp(candidates, projection::PerpOptions());
    case NamedProjection::kMedian:
      return projection::project_medians(candidates, projection::MedianOptions());
  }
  TORCH_CHECK(false, "unknown projection");
}

/// Vectors that the caller gave as the argument `side`, one for each row.
projection::Projected given_vectors(const LossCall& call, const torch::Tensor& given,
                                    const char* side, const loss::GroupedBatch& rows) {
  const auto& features =
      call.tensors[call.tensors[kCandidates].defined() ? kCandidates : kFeatures];
  const auto shape = rows.candidates.rows.sizes();
  if (given.sizes() != features.sizes() && given.sizes() != shape) {
    fail("generalized-infonce: ", side, " has shape ", given.sizes(), ", expected ",
         features.sizes(), ", a vector for each row");
  }
  if (!given.is_floating_point()) {
    fail("generalized-infonce: ", side, " has type ", given.scalar_type(),
         ", expected a floating-point tensor");
  }
  return {.vectors = given.reshape(shape).to(rows.anchors.scalar_type()), .per_row = true};
}

loss::LossValue evaluate_generalized_infonce(const LossCall& call) {
  const auto fields = options_of<GeneralizedInfoNCEFields>(call);
  const auto rows =
      loss::validate_batch(call.batch(), loss::GroupBy::kClass, "generalized-infonce");
  const auto& given_pos = call.tensors[kExtra];
  const auto& given_neg = call.tensors[kExtra2];
  const auto pos = given_pos.defined() ? given_vectors(call, given_pos, "pos", rows)
                                       : project(fields.projection_pos, rows.candidates);
  const bool same = !given_pos.defined() && fields.projection_pos == fields.projection_neg;
  const auto neg = given_neg.defined() ? given_vectors(call, given_neg, "neg", rows)
                   : same              ? pos
                                       : project(fields.projection_neg, rows.candidates);
  return loss::generalized_infonce(rows, pos, neg, fields.options).value;
}

}  // namespace

void list_fields(CeFields& /*options*/, FieldVisitor& /*fields*/) {}

void list_fields(GeneralizedInfoNCEFields& options, FieldVisitor& fields) {
  const std::vector<std::pair<std::string, NamedProjection>> names = {
      {"centroid", NamedProjection::kCentroid},
      {"sample", NamedProjection::kSample},
      {"perp", NamedProjection::kPerp},
      {"median", NamedProjection::kMedian}};
  fields.choice("projection_pos", options.projection_pos, names)
      .choice("projection_neg", options.projection_neg, names);
  list_fields(options.options, fields);
}

namespace {

template <class Options>
std::vector<c10::IValue> prepare(Table& table) {
  const auto options = read_options<Options>(table, "loss");
  table = to_table(options);
  return write_scalars(options);
}

std::vector<c10::IValue> prepare_projnce(Table& table) {
  const auto settings = read_options<loss::ProjnceSettings>(table, "loss");
  table = to_table(settings);
  return write_scalars(settings.options);
}

/// The tensors of a loss over rows, and its additional arguments.
std::vector<TensorArgument> row_tensors(const std::vector<TensorArgument>& more = {}) {
  std::vector<TensorArgument> tensors = {
      {.name = "features", .differentiable = true},
      {.name = "labels", .optional = true},
      {.name = "instances", .optional = true},
      {.name = "candidates", .optional = true, .differentiable = true},
      {.name = "candidate_labels", .optional = true},
      {.name = "candidate_instances", .optional = true}};
  tensors.insert(tensors.end(), more.begin(), more.end());
  return tensors;
}

template <class Options>
LossOperator row_loss(const char* name, loss::LossValue (*evaluate)(const LossCall&),
                      const std::vector<TensorArgument>& more = {}) {
  return {.name = name,
          .tensors = row_tensors(more),
          .over_rows = true,
          .fields = describe_fields<Options>(),
          .construction_options = {},
          .evaluate = evaluate,
          .prepare = prepare<Options>};
}

template <class Options>
LossOperator plain_loss(const char* name, loss::LossValue (*evaluate)(const LossCall&),
                        std::vector<TensorArgument> tensors) {
  return {.name = name,
          .tensors = std::move(tensors),
          .over_rows = false,
          .fields = describe_fields<Options>(),
          .construction_options = {},
          .evaluate = evaluate,
          .prepare = prepare<Options>};
}

std::vector<LossOperator> make_operators() {
  const std::vector<TensorArgument> logits = {{.name = "logits", .differentiable = true},
                                              {.name = "labels"}};
  auto projnce_loss =
      row_loss<loss::ProjnceOptions>("projnce", evaluate<loss::ProjnceOptions, loss::projnce>);
  projnce_loss.construction_options = {{"preset", "str", "str"}};
  projnce_loss.prepare = prepare_projnce;
  auto mlp_loss = row_loss<loss::ProjnceMlpOptions>(
      "projnce_mlp", evaluate_projnce_mlp, {{.name = "class_vectors", .differentiable = true}});
  mlp_loss.construction_options = {{"hidden", "int", "int"}};
  return {
      // alphabetical
      plain_loss<CeFields>("ce", evaluate_ce, logits),
      row_loss<GeneralizedInfoNCEFields>(
          "generalized_infonce", evaluate_generalized_infonce,
          {{.name = "pos", .optional = true, .differentiable = true},
           {.name = "neg", .optional = true, .differentiable = true}}),
      plain_loss<loss::InfonceOptions>(
          "infonce", evaluate_infonce,
          {{.name = "a", .differentiable = true}, {.name = "b", .differentiable = true}}),
      projnce_loss,
      row_loss<loss::ProjnceMedOptions>("projnce_med",
                                        evaluate<loss::ProjnceMedOptions, loss::projnce_med>),
      mlp_loss,
      row_loss<loss::ProjncePerpOptions>(
          "projnce_perp", evaluate_projnce_perp,
          {{.name = "soft_labels", .optional = true, .differentiable = true},
           {.name = "class_priors", .optional = true}}),
      row_loss<loss::RinceOptions>("rince", evaluate_rince),
      plain_loss<loss::SceOptions>("sce", evaluate_sce, logits),
      row_loss<loss::SimclrOptions>("simclr", evaluate_simclr),
      row_loss<loss::SupConOptions>("supcon", evaluate_supcon),
      row_loss<loss::SymnceOptions>("symnce", evaluate<loss::SymnceOptions, loss::symnce>),
  };
}

}  // namespace

std::vector<OptionField> LossOperator::options() const {
  auto all = construction_options;
  all.insert(all.end(), fields.begin(), fields.end());
  return all;
}

const std::vector<LossOperator>& loss_operators() {
  static const auto operators = make_operators();
  return operators;
}

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> names = {"alignment", "uniformity", "valid_anchors",
                                                 "R",         "reverse",    "accuracy"};
  return names;
}

}  // namespace projnce::ops
