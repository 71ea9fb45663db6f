#pragma once

#include <cstdint>

#include <string>
#include <vector>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/eval/nearest_neighbors.h"

namespace projnce::config {

/// Accuracy that summary.json reports.
enum class EvalReport {
  kDelivered,      ///< accuracy of the delivered model
  kBestTestEpoch,  ///< the paper's rule: best test epoch if the training data is clean, otherwise
                   ///< last
};

/// Evaluation during and after training.
struct EvalOptions {
  int64_t every = 1;             ///< epochs between evaluations; the last epoch is always evaluated
  int64_t centroid_samples = 0;  ///< number of training samples for the class centroids; 0: all
  int64_t batch_size = 512;
  /// How the delivered model predicts classes: name of a protocol, "paper" or "auto". "auto" is the
  /// most accurate protocol on the validation split; without one, default_readout.
  std::string readout = "auto";
  EvalReport report = EvalReport::kDelivered;
  /// Protocols evaluated after epochs. The first one defines the "best" and "last" accuracy; "auto"
  /// is the readout. See choose_protocols.
  std::vector<std::string> protocols = {"auto"};
  std::vector<std::string> final_protocols = {"all"};  ///< evaluated after training
  eval::KnnOptions knn = {.neighbors = 0};  ///< neighbors = 0: 20, or all if there are fewer
};

/// Section [eval].
void list_fields(EvalOptions& options, FieldVisitor& fields);

/// Sets the paper's rule in the section [eval]: nearest centroid (ce and sce: their classifier),
/// best test epoch if the training data is clean. Does not overwrite existing keys.
void set_paper_rule(Table& eval);

/// Sets the paper's rule in settings stored by versions without `eval.readout` and `eval.report`,
/// which always used it.
void complete_earlier_rule(Table& settings);

}  // namespace projnce::config
