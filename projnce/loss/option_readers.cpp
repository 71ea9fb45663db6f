#include "projnce/loss/option_readers.h"

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
void read_class_fields(TableReader& reader, Options& options) {
  reader.field("temperature", options.temperature, above(0))
      .choice("denom", options.denominator, kDenominators)
      .field("normalize_g", options.normalize_g)
      .field("detach_g", options.detach_g);
}

}  // namespace

TableReader loss_reader(Table& table) {
  TableReader reader(table, "loss");
  std::string name;
  if (table.has("name")) reader.field("name", name);
  return reader;
}

void read_fields(TableReader& reader, SupConOptions& options) {
  reader.field("temperature", options.temperature, above(0))
      .choice("variant", options.variant,
              {{"out", SupConVariant::kOut}, {"in", SupConVariant::kIn}})
      .field("include_self_pos", options.include_self_pos)
      .field("include_self_denom", options.include_self_denom)
      .choice("empty_pos", options.empty_pos, kEmptyPositives)
      .field("base_tau", options.base_tau, above(0))
      .field("detach_pos", options.detach_pos);
}

void read_fields(TableReader& reader, ProjnceOptions& options) {
  auto preset = ProjncePreset::kLoo;
  reader.choice("preset", preset,
                {{"loo", ProjncePreset::kLoo},
                 {"paper", ProjncePreset::kPaper},
                 {"allpairs", ProjncePreset::kAllPairs}});
  options = projnce_preset(preset);  // single options then override it
  reader.field("temperature", options.temperature, above(0))
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

void read_fields(TableReader& reader, GeneralizedInfoNCEOptions& options) {
  reader.field("temperature", options.temperature, above(0))
      .field("beta", options.beta)
      .choice("denom", options.denominator, kDenominators)
      .choice("r_exclude", options.r_exclude, kRatioSets)
      .choice("empty_pos", options.empty_pos, kEmptyPositives);
}

void read_options(Table& table, SupConOptions& options) {
  auto reader = loss_reader(table);
  read_fields(reader, options);
  reader.done();
}

void read_options(Table& table, ProjnceOptions& options) {
  auto reader = loss_reader(table);
  read_fields(reader, options);
  reader.done();
}

void read_options(Table& table, ProjncePerpOptions& options) {
  auto reader = loss_reader(table);
  read_class_fields(reader, options);
  read_fields(reader, options.perp);
  reader.done();
}

void read_options(Table& table, ProjnceMedOptions& options) {
  auto reader = loss_reader(table);
  read_class_fields(reader, options);
  MedianOptions median{.median = options.median};
  read_fields(reader, median);
  options.median = median.median;
  reader.done();
}

void read_options(Table& table, ProjnceMlpOptions& options) {
  loss_reader(table)
      .field("temperature", options.temperature, above(0))
      .field("normalize_g", options.normalize_g)
      .choice("denom", options.denominator, kDenominators)
      .choice("class_weight", options.class_weight,
              {{"count", ClassWeight::kCount}, {"uniform", ClassWeight::kUniform}})
      .field("hidden", options.hidden, at_least(0))
      .done();
}

void read_options(Table& table, InfonceOptions& options) {
  loss_reader(table)
      .field("temperature", options.temperature, above(0))
      .field("symmetric", options.symmetric)
      .done();
}

void read_options(Table& table, RinceOptions& options) {
  const Range unit{.low = 0, .high = 1, .low_open = true};
  loss_reader(table)
      .field("temperature", options.temperature, above(0))
      .field("q", options.q, unit)
      .field("lam", options.lam, unit)
      .choice("denom", options.denominator,
              {{"all", RinceDenominator::kAll}, {"one_pos", RinceDenominator::kOnePos}})
      .choice("empty_pos", options.empty_pos, kEmptyPositives)
      .done();
}

void read_options(Table& table, SceOptions& options) {
  loss_reader(table)
      .field("alpha", options.alpha, at_least(0))
      .field("beta", options.beta, at_least(0))
      .field("A", options.A)
      .done();
}

void read_options(Table& table, SymnceOptions& options) {
  loss_reader(table)
      .field("temperature", options.temperature, above(0))
      .field("beta", options.beta)
      .choice("form", options.form,
              {{"lout", SymnceForm::kLout},
               {"lin", SymnceForm::kLin},
               {"pairwise", SymnceForm::kPairwise}})
      .choice("empty_pos", options.empty_pos, kEmptyPositives)
      .done();
}

}  // namespace projnce
