#pragma once

#include <cstdint>

#include <string>
#include <vector>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/eval/nearest_neighbors.h"

namespace projnce::config {

/// Which accuracy summary.json reports.
enum class EvalReport {
  kDelivered,      ///< that of the delivered model
  kBestTestEpoch,  ///< the paper's rule: of the best test epoch, if the training data is clean
};

/// How a run is judged, after every epoch and at its end.
struct EvalOptions {
  int64_t every = 1;             ///< epochs between evaluations; the last epoch always has one
  int64_t centroid_samples = 0;  ///< training samples that class centroids are made of; 0: all
  int64_t batch_size = 512;
  /// How the delivered model predicts classes: a protocol's name, "paper" or "auto". The latter is
  /// the best on the validation part; without one it is default_readout.
  std::string readout = "auto";
  EvalReport report = EvalReport::kDelivered;
  /// After epochs; the first is what "best" and "last" go by, "auto" the readout. See
  /// choose_protocols.
  std::vector<std::string> protocols = {"auto"};
  std::vector<std::string> final_protocols = {"all"};  ///< at the end of the training
  eval::KnnOptions knn = {.neighbors = 0};             ///< 0: 20, or all where there are fewer
};

/// The section [eval].
void list_fields(EvalOptions& options, FieldVisitor& fields);

/// Writes the paper's rule into the section [eval] of settings: nearest centroid (of ce and sce:
/// their classifier), best test epoch if the training data is clean. Keys that are there stay.
void set_paper_rule(Table& eval);

/// Completes the settings of a run that a version without the keys `eval.readout` and
/// `eval.report` made: it knew the paper's rule only.
void complete_earlier_rule(Table& settings);

}  // namespace projnce::config
