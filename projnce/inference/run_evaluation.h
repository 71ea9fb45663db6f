#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "projnce/config/run_config.h"
#include "projnce/data/training_data.h"
#include "projnce/distributed/process_group.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/eval/information_bounds.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/loss/loss.h"
#include "projnce/loss/registry.h"

namespace projnce::inference {

/// Result of one evaluation.
struct Evaluation {
  EvalInputs samples;
  /// Of the requested protocols; at least one. Rank 0 only.
  std::vector<ProtocolResult> results;
  /// Same as `samples` with the validation split as test set; empty without a validation split.
  std::optional<EvalInputs> validation = {};
  /// Validation accuracy of the first protocol; 0 without a validation split. Rank 0 only.
  double validation_accuracy = 0;
  /// Certified bounds on the test split; empty if it has fewer than two samples. Rank 0 only.
  std::optional<eval::InformationBounds> information = {};
  const eval::Accuracy& accuracy() const { return results.front().accuracy; }
};

/// Thrown if a stop is requested during an evaluation.
struct EvaluationStopped {};

/// Settings of a RunEvaluator.
struct EvaluatorSettings {
  config::EvalOptions options = {};
  double temperature = 0.07;  ///< of the critic
  int threads = 1;
  Logger logger = {};
  distributed::ProcessGroupPtr ranks =
      distributed::ProcessGroup::single_process();  ///< each rank embeds its part of the samples
  /// Polled after every batch in a single process; several ranks do not stop during an evaluation.
  std::function<bool()> stop_requested = {};
};

/// Embeds the reference samples (without augmentation, with the labels used in training), the test
/// split and the validation split, and evaluates the protocols.
class RunEvaluator {
 public:
  RunEvaluator(const data::TrainingData& data, EvaluatorSettings settings);
  /// Evaluates model and loss. Collective: every rank gets the embeddings, rank 0 the results.
  /// Throws EvaluationStopped.
  Evaluation evaluate(encoder::EmbeddingModel& model, loss::Loss& loss,
                      const std::vector<std::string>& protocols) const;

  /// Samples for the class centroids: the reference samples or a subset of them.
  const dataset::DatasetPtr& reference() const { return centroid_split_; }

  /// Number of corrupt test samples that this process skipped.
  int64_t skipped() const { return corrupt_test_->skipped(); }

 private:
  EmbeddedSet embed(encoder::EmbeddingModel& model, const dataset::DatasetPtr& part,
                    loader::CorruptSampleTracker& corrupt_samples) const;
  EmbeddedSet embed_share(encoder::EmbeddingModel& model, const dataset::DatasetPtr& part,
                          const loader::EvalLoaderOptions& options) const;

  loader::EvalLoaderOptions loader_options_;
  dataset::DatasetPtr centroid_split_;
  dataset::DatasetPtr test_split_;
  dataset::DatasetPtr validation_split_;  // null if there is none
  // The loader already reports corrupt training samples.
  std::unique_ptr<loader::CorruptSampleTracker> corrupt_centroid_;
  std::unique_ptr<loader::CorruptSampleTracker> corrupt_validation_;
  std::unique_ptr<loader::CorruptSampleTracker> corrupt_test_;
  int64_t num_classes_;
  EvaluatorSettings settings_;
};

/// Loader options for evaluation, with the input format of the model.
loader::EvalLoaderOptions eval_loader_options(const config::InputOptions& input, int64_t batch_size,
                                              int threads);

/// Temperature of the loss, or the default if it has none.
double loss_temperature(const loss::LossOptions& options);

/// Fills `logits` and `learned_vectors` of `samples` from the classifier and the class vectors of
/// the loss. Skips them if the loss was trained on other (coarse) classes. REQUIRES: samples.test
/// and samples.num_classes are set.
void add_learned_classes(EvalInputs& samples, loss::Loss& loss);

/// Evaluates the protocols with these names.
std::vector<ProtocolResult> evaluate_protocols(const EvalInputs& samples,
                                               const std::vector<std::string>& protocols,
                                               const eval::KnnOptions& knn);

}  // namespace projnce::inference
