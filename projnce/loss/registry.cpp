#include "projnce/loss/registry.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/joint.h"
#include "projnce/loss/simclr.h"
#include "projnce/projection/registry.h"

namespace projnce::loss {

namespace {

template <class Enum>
using Choices = std::vector<std::pair<std::string, Enum>>;

const Choices<Exclude> kDenominators = {{"all", Exclude::kNone}, {"exclude_self", Exclude::kSelf}};
const Choices<Exclude> kRatioSets = {
    {"none", Exclude::kNone}, {"self", Exclude::kSelf}, {"class", Exclude::kSameClass}};
const FormerNames kFormerRatioSets = {{"index", "self"}};
const Choices<EmptyPositives> kEmptyPositives = {{"zero", EmptyPositives::kZero},
                                                 {"skip", EmptyPositives::kSkip}};

/// The fields that projnce-perp and projnce-med share.
template <class Options>
void list_class_fields(Options& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .renamed("denom", "denominator")
      .choice("denominator", options.denominator, kDenominators)
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
      .renamed("empty_pos", "empty_positives")
      .choice("empty_positives", options.empty_positives, kEmptyPositives)
      .renamed("base_tau", "base_temperature")
      .field("base_temperature", options.base_temperature, above(0))
      .field("detach_pos", options.detach_pos);
}

void list_fields(ProjnceOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .field("beta", options.beta)
      .field("include_self_pos", options.include_self_pos)
      .field("include_self_denom", options.include_self_denom)
      .choice("r_exclude", options.r_exclude, kRatioSets, kFormerRatioSets)
      .choice("r_centroid", options.r_centroid,
              {{"leave_one_out", projection::CentroidRows::kNotAnchor},
               {"full", projection::CentroidRows::kAll},
               {"leave_row_out", projection::CentroidRows::kNotRow}},
              {{"loo_i", "leave_one_out"}, {"loo_k", "leave_row_out"}})
      .renamed("empty_pos", "empty_positives")
      .choice("empty_positives", options.empty_positives, kEmptyPositives)
      .field("detach_centroid", options.detach_centroid)
      .field("normalize_g", options.normalize_g);
}

void list_fields(GeneralizedInfoNCEOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .field("beta", options.beta)
      .renamed("denom", "denominator")
      .choice("denominator", options.denominator, kDenominators)
      .choice("r_exclude", options.r_exclude, kRatioSets, kFormerRatioSets)
      .renamed("empty_pos", "empty_positives")
      .choice("empty_positives", options.empty_positives, kEmptyPositives)
      .field("normalize_g", options.normalize_g);
}

void list_fields(ProjncePerpOptions& options, FieldVisitor& fields) {
  list_class_fields(options, fields);
  list_fields(options.perp, fields);
  fields
      .choice("leave_one_out", options.leave_one_out,
              {{"none", LeaveOneOut::kNone}, {"instance", LeaveOneOut::kInstance}})
      .choice("priors", options.priors,
              {{"batch", PriorSource::kBatch},
               {"uniform", PriorSource::kUniform},
               {"training", PriorSource::kTraining}})
      .check([&options] { check_options(options, "[loss] projnce-perp"); });
}

void list_fields(ProjnceMedOptions& options, FieldVisitor& fields) {
  list_class_fields(options, fields);
  projection::MedianOptions median{.median = options.median};
  list_fields(median, fields);
  options.median = median.median;
}

void list_fields(ProjnceMlpOptions& options, FieldVisitor& fields) {
  fields.field("temperature", options.temperature, above(0))
      .field("normalize_g", options.normalize_g)
      .renamed("denom", "denominator")
      .choice("denominator", options.denominator, kDenominators)
      .choice("class_weight", options.class_weight,
              {{"count", ClassWeight::kCount}, {"uniform", ClassWeight::kUniform}})
      .field("hidden", options.hidden, at_least(0))
      .check([&options] {
        if (options.class_weight != ClassWeight::kUniform ||
            options.denominator != Exclude::kSelf) {
          return;
        }
        fail(Hint{"set denominator to 'all'"},
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
      .renamed("lam", "lambda_")
      .field("lambda_", options.lambda_, unit)
      .renamed("denom", "denominator")
      .choice("denominator", options.denominator,
              {{"all", RinceDenominator::kAll}, {"one_pos", RinceDenominator::kOnePos}})
      .renamed("empty_pos", "empty_positives")
      .choice("empty_positives", options.empty_positives, kEmptyPositives);
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
      .renamed("empty_pos", "empty_positives")
      .choice("empty_positives", options.empty_positives, kEmptyPositives);
}

namespace {

using OwnLossOptions = decltype(LossOptions::own);

void list_fields(CeSettings& /*settings*/, FieldVisitor& /*fields*/) {}

template <class Options>
void list_fields(JointSettings<Options>& settings, FieldVisitor& fields) {
  fields.field("theta", settings.theta, between(0, 1));
  list_fields(settings.options, fields);
}

/// The sections [loss.pos] and [loss.neg] are the options of the two projections. If both have the
/// same name, there is no [loss.neg].
void list_fields(GeneralizedInfoNCESettings& settings, FieldVisitor& fields) {
  auto pos = settings.pos.name;
  auto neg = settings.neg.name;
  fields.field("projection_pos", pos).field("projection_neg", neg);
  list_fields(settings.options, fields);
  if (pos != settings.pos.name) settings.pos = projection::projection_options(pos);
  if (neg != settings.neg.name) settings.neg = projection::projection_options(neg);
  fields.section("pos", settings.pos);
  if (pos != neg) fields.section("neg", settings.neg);
}

/// Arguments of make_loss other than the options.
struct LossContext {
  projection::ProjectionContext projection;
  int64_t feature_dim = 0;
  torch::Tensor class_priors;
};

/// For losses that need only their options.
template <class LossType, class Options>
LossPtr make(const OwnLossOptions& own, const LossContext& /*context*/) {
  return std::make_shared<LossType>(std::get<Options>(own));
}

LossPtr make_projnce(const OwnLossOptions& own, const LossContext& /*context*/) {
  return std::make_shared<ProjnceLoss>(std::get<ProjnceSettings>(own).options);
}

LossPtr make_ce(const OwnLossOptions& /*own*/, const LossContext& context) {
  return std::make_shared<CeLoss>(
      CeOptions{.num_classes = context.projection.num_classes, .feature_dim = context.feature_dim});
}

template <class LossType, class Options>
LossPtr joint_with(double theta, const Options& options) {
  JointOptions joint{.theta = theta};
  joint.self.temperature = options.temperature;
  joint.self.empty_positives = options.empty_positives;
  return std::make_shared<JointLoss>(std::make_shared<LossType>(options), joint);
}

LossPtr make_joint_projnce(const OwnLossOptions& own, const LossContext& /*context*/) {
  const auto& settings = std::get<JointSettings<ProjnceSettings>>(own);
  return joint_with<ProjnceLoss>(settings.theta, settings.options.options);
}

LossPtr make_joint_supcon(const OwnLossOptions& own, const LossContext& /*context*/) {
  const auto& settings = std::get<JointSettings<SupConOptions>>(own);
  return joint_with<SupConLoss>(settings.theta, settings.options);
}

LossPtr make_projnce_mlp(const OwnLossOptions& own, const LossContext& context) {
  return std::make_shared<ProjnceMlpLoss>(std::get<ProjnceMlpOptions>(own),
                                          context.projection.num_classes,
                                          context.projection.embedding_dim);
}

LossPtr make_projnce_perp(const OwnLossOptions& own, const LossContext& context) {
  const auto& priors = context.class_priors;
  const auto classes = context.projection.num_classes;
  if (priors.defined() && priors.numel() != classes) {
    fail("projnce-perp: there are ", counted(priors.numel(), "class prior"), ", expected ", classes,
         ", one for each class");
  }
  return std::make_shared<ProjncePerpLoss>(std::get<ProjncePerpOptions>(own), priors);
}

template <GroupBy group_by>
LossPtr make_rince(const OwnLossOptions& own, const LossContext& /*context*/) {
  return std::make_shared<RinceLoss>(std::get<RinceOptions>(own), group_by);
}

LossPtr make_sce(const OwnLossOptions& own, const LossContext& context) {
  return std::make_shared<SceLoss>(std::get<SceOptions>(own), context.projection.num_classes,
                                   context.feature_dim);
}

LossPtr make_generalized_infonce(const OwnLossOptions& own, const LossContext& context) {
  const auto& settings = std::get<GeneralizedInfoNCESettings>(own);
  const auto pos = projection::make_projection(settings.pos, context.projection);
  const auto neg = settings.pos.name == settings.neg.name
                       ? pos
                       : projection::make_projection(settings.neg, context.projection);
  return std::make_shared<GeneralizedInfoNCELoss>(pos, neg, settings.options);
}

template <class Options>
OwnLossOptions loss_defaults() {
  return Options{};
}

struct LossEntry {
  std::string_view name;
  OwnLossOptions (*defaults)();
  LossPtr (*make)(const OwnLossOptions& own, const LossContext& context);
};

constexpr std::array kLosses = {
    // alphabetical
    LossEntry{"ce", loss_defaults<CeSettings>, make_ce},
    LossEntry{"generalized-infonce", loss_defaults<GeneralizedInfoNCESettings>,
              make_generalized_infonce},
    LossEntry{"infonce", loss_defaults<InfonceOptions>, make<InfonceLoss, InfonceOptions>},
    LossEntry{"joint-projnce", loss_defaults<JointSettings<ProjnceSettings>>, make_joint_projnce},
    LossEntry{"joint-supcon", loss_defaults<JointSettings<SupConOptions>>, make_joint_supcon},
    LossEntry{"projnce", loss_defaults<ProjnceSettings>, make_projnce},
    LossEntry{"projnce-med", loss_defaults<ProjnceMedOptions>,
              make<ProjnceMedLoss, ProjnceMedOptions>},
    LossEntry{"projnce-mlp", loss_defaults<ProjnceMlpOptions>, make_projnce_mlp},
    LossEntry{"projnce-perp", loss_defaults<ProjncePerpOptions>, make_projnce_perp},
    LossEntry{"rince", loss_defaults<RinceOptions>, make_rince<GroupBy::kClass>},
    LossEntry{"rince-self", loss_defaults<RinceOptions>, make_rince<GroupBy::kInstance>},
    LossEntry{"sce", loss_defaults<SceOptions>, make_sce},
    LossEntry{"simclr", loss_defaults<SimclrOptions>, make<SimclrLoss, SimclrOptions>},
    LossEntry{"supcon", loss_defaults<SupConOptions>, make<SupConLoss, SupConOptions>},
    LossEntry{"symnce", loss_defaults<SymnceOptions>, make<SymnceLoss, SymnceOptions>},
};

const LossEntry& find_loss(const std::string& name) {
  for (const auto& entry : kLosses) {
    if (entry.name == name) return entry;
  }
  fail_unknown("loss", name, loss_names());
}

template <class Options>
std::optional<double> find_temperature(const Options& options) {
  if constexpr (requires { options.temperature; }) {
    return options.temperature;
  } else if constexpr (requires { options.options; }) {
    return find_temperature(options.options);
  } else {
    return std::nullopt;
  }
}

}  // namespace

void list_fields(ProjnceSettings& settings, FieldVisitor& fields) {
  const auto before = settings.preset;
  fields.choice("preset", settings.preset,
                {{"leave_one_out", ProjncePreset::kLeaveOneOut},
                 {"paper", ProjncePreset::kPaper},
                 {"allpairs", ProjncePreset::kAllPairs}},
                {{"loo", "leave_one_out"}});
  if (settings.preset != before) settings.options = projnce_preset(settings.preset);
  list_fields(settings.options, fields);
}

LossOptions loss_options(const std::string& name) {
  return {name, find_loss(name).defaults()};
}

void list_fields(LossOptions& options, FieldVisitor& fields) {
  const auto before = options.name;
  fields.field("name", options.name, {{"selfp", "generalized-infonce"}});
  if (options.name != before) options.own = find_loss(options.name).defaults();
  std::visit([&fields](auto& own) { list_fields(own, fields); }, options.own);
}

LossOptions parse_loss_options(const Table& table) {
  return read_options<LossOptions>(table, "loss");
}

std::optional<double> temperature_of(const LossOptions& options) {
  return std::visit([](const auto& own) { return find_temperature(own); }, options.own);
}

LossPtr make_loss(const LossOptions& options, const LossShape& shape,
                  const projection::MatrixLoader& load_matrix) {
  const LossContext context{
      .projection = {.num_classes = shape.num_classes,
                     .embedding_dim = shape.embedding_dim,
                     .load_matrix = load_matrix},
      // The features are the embeddings if the encoder has no head.
      .feature_dim = shape.feature_dim > 0 ? shape.feature_dim : shape.embedding_dim,
      .class_priors = shape.class_priors};
  const auto& entry = find_loss(options.name);
  TORCH_CHECK(options.own.index() == entry.defaults().index(),
              "make_loss: the options are not those of ", options.name);
  return entry.make(options.own, context);
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const auto& entry : kLosses) names.emplace_back(entry.name);
  return names;
}

}  // namespace projnce::loss
