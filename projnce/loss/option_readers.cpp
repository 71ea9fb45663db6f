#include "projnce/loss/option_readers.h"

#include "projnce/core/error.h"
#include "projnce/projection/registry.h"

namespace projnce {

namespace {

template <class Enum>
using Choices = std::vector<std::pair<std::string, Enum>>;

const Choices<Exclude> kDenominators = {{"all", Exclude::kNone}, {"exclude_self", Exclude::kSelf}};
const Choices<Exclude> kRatioSets = {
    {"none", Exclude::kNone}, {"index", Exclude::kSelf}, {"class", Exclude::kSameClass}};
const Choices<EmptyPositives> kEmptyPositives = {{"zero", EmptyPositives::kZero},
                                                 {"skip", EmptyPositives::kSkip}};

/// The fields that projnce-perp and projnce-med share.
template <class Options>
void list_class_fields(Options& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .choice("denom", options.denominator, kDenominators)
      .field("normalize_g", options.normalize_g)
      .field("detach_g", options.detach_g);
}

}  // namespace

void list_fields(SupConOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .choice("variant", options.variant,
              {{"out", SupConVariant::kOut}, {"in", SupConVariant::kIn}})
      .field("include_self_pos", options.include_self_pos)
      .field("include_self_denom", options.include_self_denom)
      .choice("empty_pos", options.empty_pos, kEmptyPositives)
      .field("base_tau", options.base_tau, above(0))
      .field("detach_pos", options.detach_pos);
}

void list_fields(ProjnceOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .field("beta", options.beta)
      .field("include_self_pos", options.include_self_pos)
      .field("include_self_denom", options.include_self_denom)
      .choice("r_exclude", options.r_exclude, kRatioSets)
      .choice("r_centroid", options.r_centroid,
              {{"loo_i", CentroidRows::kNotAnchor},
               {"full", CentroidRows::kAll},
               {"loo_k", CentroidRows::kNotRow}})
      .choice("empty_pos", options.empty_pos, kEmptyPositives)
      .field("detach_centroid", options.detach_centroid);
}

void list_fields(GeneralizedInfoNCEOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .field("beta", options.beta)
      .choice("denom", options.denominator, kDenominators)
      .choice("r_exclude", options.r_exclude, kRatioSets)
      .choice("empty_pos", options.empty_pos, kEmptyPositives);
}

void list_fields(ProjncePerpOptions& options, FieldVisitor& fields) {
  list_class_fields(options, fields);
  list_fields(options.perp, fields);
}

void list_fields(ProjnceMedOptions& options, FieldVisitor& fields) {
  list_class_fields(options, fields);
  MedianOptions median{.median = options.median};
  list_fields(median, fields);
  options.median = median.median;
}

void list_fields(ProjnceMlpOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .field("normalize_g", options.normalize_g)
      .choice("denom", options.denominator, kDenominators)
      .choice("class_weight", options.class_weight,
              {{"count", ClassWeight::kCount}, {"uniform", ClassWeight::kUniform}})
      .field("hidden", options.hidden, at_least(0))
      .check([&options] {
        if (options.class_weight != ClassWeight::kUniform ||
            options.denominator != Exclude::kSelf) {
          return;
        }
        fail(Hint{"set denom to 'all'"},
             "[loss] class_weight = 'uniform' counts classes, not rows, ",
             "so there is no anchor to exclude");
      });
}

void list_fields(InfonceOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0)).field("symmetric", options.symmetric);
}

void list_fields(RinceOptions& options, FieldVisitor& fields) {
  const Range unit{.low = 0, .high = 1, .low_open = true};
  fields.field("temperature", options.temperature, above(0))
      .field("q", options.q, unit)
      .field("lam", options.lam, unit)
      .choice("denom", options.denominator,
              {{"all", RinceDenominator::kAll}, {"one_pos", RinceDenominator::kOnePos}})
      .choice("empty_pos", options.empty_pos, kEmptyPositives);
}

void list_fields(SceOptions& options, FieldVisitor& fields) {
  fields.field("alpha", options.alpha, at_least(0))
      .field("beta", options.beta, at_least(0))
      .field("A", options.A, below(0));
}

void list_fields(SymnceOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .field("beta", options.beta)
      .choice("form", options.form,
              {{"lout", SymnceForm::kLout},
               {"lin", SymnceForm::kLin},
               {"pairwise", SymnceForm::kPairwise}})
      .choice("empty_pos", options.empty_pos, kEmptyPositives);
}

}  // namespace projnce
