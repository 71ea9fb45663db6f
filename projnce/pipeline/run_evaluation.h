#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "projnce/encoder/embedding_model.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/judge.h"
#include "projnce/pipeline/training_data.h"

namespace projnce {

/// What one look at the test part gives.
struct Evaluation {
  JudgedSamples samples;
  std::vector<Judgement> judgements;  ///< by the protocols that were asked for; at least one
  const Accuracy& accuracy() const { return judgements.front().accuracy; }
};

/// Embeds the known samples, un-augmented and with the labels as given, and the test part, and
/// judges by them.
class RunEvaluator {
 public:
  /// `temperature` turns cosines into probabilities.
  RunEvaluator(const TrainingData& data, const EvalOptions& options, double temperature,
               int threads, const Logger& logger);
  Evaluation evaluate(EmbeddingModel& model, ContrastiveLoss& loss,
                      const std::vector<std::string>& protocols) const;

  /// Damaged samples of the test part that were met and left out.
  int64_t skipped() const { return test_damage_->skipped(); }

 private:
  EmbeddedSet embed(EmbeddingModel& model, const DatasetPtr& part, DamageWatch& damage) const;

  EvalLoaderOptions loader_options_;
  DatasetPtr centroid_part_;
  DatasetPtr test_part_;
  // Of training samples the loader tells the user.
  std::unique_ptr<DamageWatch> centroid_damage_;
  std::unique_ptr<DamageWatch> test_damage_;
  int64_t num_classes_;
  KnnOptions knn_;
  double temperature_;
};

/// Loading for evaluation: the model's own input format.
EvalLoaderOptions eval_loader_options(const InputOptions& input, int64_t batch_size, int threads);

/// That of the configured loss, or the usual one where it has none.
double loss_temperature(const Table& config);

/// What the loss itself learned about the classes that are judged: a classifier, class vectors. One
/// of other classes (coarse ones) says nothing about these. Fills `samples`, whose test part and
/// number of classes are there.
void add_learned_classes(JudgedSamples& samples, ContrastiveLoss& loss);

/// All judgements that the protocols' names ask for.
std::vector<Judgement> judge_by(const JudgedSamples& samples,
                                const std::vector<std::string>& protocols, const KnnOptions& knn);

}  // namespace projnce
