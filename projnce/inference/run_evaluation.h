#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "projnce/config/eval_options.h"
#include "projnce/data/training_data.h"
#include "projnce/distributed/process_group.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/eval/information_bounds.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/loss/loss.h"
#include "projnce/loss/registry.h"

namespace projnce::inference {

/// What one look at the test part gives.
struct Evaluation {
  EvalInputs samples;
  /// By the protocols that were asked for; at least one, of rank 0 alone.
  std::vector<ProtocolResult> results;
  /// The validation part in place of the test part; none if there is no validation part.
  std::optional<EvalInputs> validation = {};
  /// The validation part's accuracy by the first protocol; 0 without one. Of rank 0 alone.
  double validation_accuracy = 0;
  /// Certified bounds of the test part; none if it has fewer than two samples. Of rank 0 alone.
  std::optional<eval::InformationBounds> information = {};
  const eval::Accuracy& accuracy() const { return results.front().accuracy; }
};

/// Thrown out of an evaluation that somebody does not want to wait for.
struct EvaluationStopped {};

/// What evaluations work with.
struct EvaluatorSettings {
  config::EvalOptions options = {};
  double temperature = 0.07;  ///< turns cosines into probabilities
  int threads = 1;
  Logger logger = {};
  distributed::ProcessGroupPtr ranks =
      distributed::ProcessGroup::single_process();  ///< each embeds its part of the samples
  /// Asked after every batch of a process alone; ranks do not stop in the middle.
  std::function<bool()> stop_requested = {};
};

/// Embeds the known samples, un-augmented and with the labels as given, the test part and the
/// validation part, and judges by them.
class RunEvaluator {
 public:
  RunEvaluator(const data::TrainingData& data, EvaluatorSettings settings);
  /// A collective: every rank gets the samples, rank 0 judges. Throws EvaluationStopped.
  Evaluation evaluate(encoder::EmbeddingModel& model, loss::Loss& loss,
                      const std::vector<std::string>& protocols) const;

  /// What class centroids are taken from: the known samples or some of them.
  const dataset::DatasetPtr& reference() const { return centroid_part_; }

  /// Damaged samples of the test part that this process met and left out.
  int64_t skipped() const { return test_damage_->skipped(); }

 private:
  EmbeddedSet embed(encoder::EmbeddingModel& model, const dataset::DatasetPtr& part,
                    loader::CorruptSampleTracker& damage) const;
  EmbeddedSet embed_share(encoder::EmbeddingModel& model, const dataset::DatasetPtr& part,
                          const loader::EvalLoaderOptions& options) const;

  loader::EvalLoaderOptions loader_options_;
  dataset::DatasetPtr centroid_part_;
  dataset::DatasetPtr test_part_;
  dataset::DatasetPtr validation_part_;  // null if there is none
  // Of training samples the loader tells the user.
  std::unique_ptr<loader::CorruptSampleTracker> centroid_damage_;
  std::unique_ptr<loader::CorruptSampleTracker> validation_damage_;
  std::unique_ptr<loader::CorruptSampleTracker> test_damage_;
  int64_t num_classes_;
  EvaluatorSettings settings_;
};

/// Loading for evaluation: the model's own input format.
loader::EvalLoaderOptions eval_loader_options(const config::InputOptions& input, int64_t batch_size,
                                              int threads);

/// That of the loss, or the usual one where it has none.
double loss_temperature(const loss::LossOptions& options);

/// What the loss itself learned about the classes that are judged: a classifier, class vectors. One
/// of other classes (coarse ones) says nothing about these. Fills `samples`, whose test part and
/// number of classes are there.
void add_learned_classes(EvalInputs& samples, loss::Loss& loss);

/// All judgments that the protocols' names ask for.
std::vector<ProtocolResult> evaluate_protocols(const EvalInputs& samples,
                                               const std::vector<std::string>& protocols,
                                               const eval::KnnOptions& knn);

}  // namespace projnce::inference
