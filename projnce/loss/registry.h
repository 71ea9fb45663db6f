#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/loss/infonce.h"
#include "projnce/loss/loss.h"
#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_med.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"
#include "projnce/loss/rince.h"
#include "projnce/loss/sce.h"
#include "projnce/loss/supcon.h"
#include "projnce/loss/symnce.h"
#include "projnce/projection/registry.h"

namespace projnce::loss {

/// @cond
// The options of each loss by the names that a configuration and Python use.
void list_fields(InfonceOptions& options, FieldVisitor& fields);
void list_fields(ProjnceMedOptions& options, FieldVisitor& fields);
void list_fields(ProjnceMlpOptions& options, FieldVisitor& fields);
void list_fields(ProjnceOptions& options, FieldVisitor& fields);
void list_fields(ProjncePerpOptions& options, FieldVisitor& fields);
void list_fields(RinceOptions& options, FieldVisitor& fields);
void list_fields(SceOptions& options, FieldVisitor& fields);
void list_fields(GeneralizedInfoNCEOptions& options, FieldVisitor& fields);
void list_fields(SupConOptions& options, FieldVisitor& fields);
void list_fields(SymnceOptions& options, FieldVisitor& fields);
/// @endcond

/// Sizes of a loss with parameters (class vectors, classifier), and properties of the data.
struct LossShape {
  int64_t num_classes = 0;    ///< C
  int64_t embedding_dim = 0;  ///< D
  int64_t feature_dim = 0;    ///< F
  /// [C]: class frequencies of the training set (information::smoothed_priors), for losses with
  /// priors = "training"; undefined if unknown.
  torch::Tensor class_priors = {};
};

/// "ce" has no options.
struct CeSettings {};

/// "projnce": a preset, and options that override it.
struct ProjnceSettings {
  ProjncePreset preset = ProjncePreset::kLeaveOneOut;  ///< what the others default to
  ProjnceOptions options = {};                         ///< all of them
};

/// "joint-supcon" and "joint-projnce": the supervised loss's options with `theta` among them.
template <class Options>
struct JointSettings {
  double theta = 0.5;    ///< weight of the supervised loss
  Options options = {};  ///< of the supervised loss; SimCLR's part has the same temperature
};

/// "generalized-infonce": any two projections. If both have the same name, they are one object.
struct GeneralizedInfoNCESettings {
  GeneralizedInfoNCEOptions options = {};  ///< except the projections
  projection::ProjectionOptions pos = projection::projection_options("centroid");  ///< g+
  projection::ProjectionOptions neg = projection::projection_options("sample");    ///< g-
};

/// Name and options of a loss.
struct LossOptions {
  /// One of loss_names().
  std::string name = "projnce";
  /// Options of the loss; the type belongs to the name.
  std::variant<ProjnceSettings, CeSettings, InfonceOptions, JointSettings<ProjnceSettings>,
               JointSettings<SupConOptions>, ProjnceMedOptions, ProjnceMlpOptions,
               ProjncePerpOptions, RinceOptions, SceOptions, GeneralizedInfoNCESettings,
               SupConOptions, SymnceOptions>
      own = {};
};

/// Default options of the loss `name`. Throws an Error if the name is unknown.
LossOptions loss_options(const std::string& name);

/// The section [loss] of a configuration.
void list_fields(LossOptions& options, FieldVisitor& fields);
/// Lists the fields without beginning a section.
void list_fields(ProjnceSettings& settings, FieldVisitor& fields);

/// The options in a table [loss]. Throws an Error if a key or value is wrong.
LossOptions parse_loss_options(const Table& table);

/// The temperature of the loss; std::nullopt if it has none.
std::optional<double> temperature_of(const LossOptions& options);

/// Creates a loss. `load_matrix` reads the file of the projection `fixed`; without it, options with
/// a file throw an Error.
LossPtr make_loss(const LossOptions& options, const LossShape& shape,
                  const projection::MatrixLoader& load_matrix = {});

/// Names of all losses.
std::vector<std::string> loss_names();

}  // namespace projnce::loss
