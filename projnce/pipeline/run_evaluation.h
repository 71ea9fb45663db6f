#pragma once

#include <torch/types.h>

#include <memory>

#include "projnce/encoder/embedding_model.h"
#include "projnce/eval/accuracy.h"
#include "projnce/eval/embed_dataset.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/training_data.h"

namespace projnce {

/// What one look at the test part gives.
struct Evaluation {
  Accuracy accuracy;
  torch::Tensor class_vectors;  // [C, D], centroids of the training part
  EmbeddedSet test;
};

/// Nearest centroid (zero-shot): centroids from the training part, un-augmented and with the labels
/// as given, cosine on the test part. A loss with a classifier of its own is judged by its logits.
class RunEvaluator {
 public:
  RunEvaluator(const TrainingData& data, const EvalOptions& options, int threads,
               const Logger& logger);
  Evaluation evaluate(EmbeddingModel& model, ContrastiveLoss& loss) const;

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
};

/// Loading for evaluation: the model's own input format.
EvalLoaderOptions eval_loader_options(const InputOptions& input, int64_t batch_size, int threads);

/// Class scores [N, C] of embedded samples: the loss's own logits, or cosine with the class
/// vectors.
torch::Tensor class_scores(ContrastiveLoss& loss, const EmbeddedSet& samples,
                           const torch::Tensor& class_vectors);

}  // namespace projnce
