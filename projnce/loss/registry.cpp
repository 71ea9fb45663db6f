#include "projnce/loss/registry.h"

#include <array>
#include <string_view>
#include <utility>

#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/joint.h"
#include "projnce/loss/option_readers.h"

namespace projnce {

namespace {

template <class Loss, class Options>
LossPtr make(Table& table, const ProjectionContext& /*context*/, int64_t /*feature_dim*/) {
  Options options;
  read_options(table, options);
  return std::make_shared<Loss>(options);
}

LossPtr make_ce(Table& table, const ProjectionContext& context, int64_t feature_dim) {
  loss_reader(table).done();
  return std::make_shared<CeLoss>(
      CeOptions{.num_classes = context.num_classes, .feature_dim = feature_dim});
}

/// The supervised loss's options with `theta` among them.
template <class Loss, class Options>
LossPtr make_joint(Table& table, const ProjectionContext& /*context*/, int64_t /*feature_dim*/) {
  JointOptions joint;
  Options options;
  auto reader = loss_reader(table);
  reader.field("theta", joint.theta, between(0, 1));
  read_fields(reader, options);
  reader.done();
  joint.self.temperature = options.temperature;
  joint.self.empty_pos = options.empty_pos;
  return std::make_shared<JointLoss>(std::make_shared<Loss>(options), joint);
}

LossPtr make_projnce_mlp(Table& table, const ProjectionContext& context, int64_t /*feature_dim*/) {
  ProjnceMlpOptions options;
  read_options(table, options);
  return std::make_shared<ProjnceMlpLoss>(options, context.num_classes, context.embedding_dim);
}

template <GroupBy group_by>
LossPtr make_rince(Table& table, const ProjectionContext& /*context*/, int64_t /*feature_dim*/) {
  RinceOptions options;
  read_options(table, options);
  return std::make_shared<RinceLoss>(options, group_by);
}

LossPtr make_sce(Table& table, const ProjectionContext& context, int64_t feature_dim) {
  SceOptions options;
  read_options(table, options);
  return std::make_shared<SceLoss>(options, context.num_classes, feature_dim);
}

/// The sections [loss.pos] and [loss.neg] hold the options of the two projections. Where both have
/// the same name, one object serves as both and there is no [loss.neg].
LossPtr make_generalized_infonce(Table& table, const ProjectionContext& context,
                                 int64_t /*feature_dim*/) {
  GeneralizedInfoNCEOptions options;
  std::string pos_name = "centroid";
  std::string neg_name = "sample";
  auto reader = loss_reader(table);
  reader.field("projection_pos", pos_name).field("projection_neg", neg_name);
  read_fields(reader, options);
  const auto pos = make_projection(pos_name, reader.section("pos"), context);
  const auto neg =
      pos_name == neg_name ? pos : make_projection(neg_name, reader.section("neg"), context);
  reader.done();
  return std::make_shared<GeneralizedInfoNCELoss>(pos, neg, options);
}

struct LossEntry {
  std::string_view name;
  LossPtr (*make)(Table& table, const ProjectionContext& context, int64_t feature_dim);
};

constexpr std::array kLosses = {
    // alphabetical
    LossEntry{"ce", make_ce},
    LossEntry{"infonce", make<InfonceLoss, InfonceOptions>},
    LossEntry{"joint-projnce", make_joint<ProjnceLoss, ProjnceOptions>},
    LossEntry{"joint-supcon", make_joint<SupConLoss, SupConOptions>},
    LossEntry{"projnce", make<ProjnceLoss, ProjnceOptions>},
    LossEntry{"projnce-med", make<ProjnceMedLoss, ProjnceMedOptions>},
    LossEntry{"projnce-mlp", make_projnce_mlp},
    LossEntry{"projnce-perp", make<ProjncePerpLoss, ProjncePerpOptions>},
    LossEntry{"rince", make_rince<GroupBy::kClass>},
    LossEntry{"rince-self", make_rince<GroupBy::kInstance>},
    LossEntry{"sce", make_sce},
    LossEntry{"selfp", make_generalized_infonce},
    LossEntry{"simclr", make<SimclrLoss, SimclrOptions>},
    LossEntry{"supcon", make<SupConLoss, SupConOptions>},
    LossEntry{"symnce", make<SymnceLoss, SymnceOptions>},
};

}  // namespace

LossPtr make_loss(Table& table, const LossShape& shape, const MatrixLoader& load_matrix) {
  std::string name = "projnce";
  TableReader(table, "loss").field("name", name);
  const ProjectionContext context{.num_classes = shape.num_classes,
                                  .embedding_dim = shape.embedding_dim,
                                  .load_matrix = load_matrix};
  // A classifier reads the embeddings where the encoder has no features apart from them.
  const auto feature_dim = shape.feature_dim > 0 ? shape.feature_dim : shape.embedding_dim;
  for (const auto& entry : kLosses) {
    if (entry.name == name) return entry.make(table, context, feature_dim);
  }
  fail_unknown("loss", name, loss_names());
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const auto& entry : kLosses) names.emplace_back(entry.name);
  return names;
}

}  // namespace projnce
