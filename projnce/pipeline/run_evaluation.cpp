#include "projnce/pipeline/run_evaluation.h"

#include <torch/torch.h>

#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"
#include "projnce/eval/nearest_centroid.h"

namespace projnce {

RunEvaluator::RunEvaluator(const TrainingData& data, const EvalOptions& options, int threads,
                           const Logger& logger)
    : loader_options_(eval_loader_options(data.input, options.batch_size, threads)),
      centroid_part_(data.known),
      test_part_(data.judged),
      test_damage_(std::make_unique<DamageWatch>(data.judged->size(), logger)),
      num_classes_(static_cast<int64_t>(data.class_names().size())) {
  if (options.centroid_samples > 0 && options.centroid_samples < centroid_part_->size()) {
    centroid_part_ = std::make_shared<SubsetDataset>(
        centroid_part_, stratified_subset(*centroid_part_, options.centroid_samples, /*seed=*/0));
  }
  centroid_damage_ = std::make_unique<DamageWatch>(centroid_part_->size(), nullptr);
}

EmbeddedSet RunEvaluator::embed(EmbeddingModel& model, const DatasetPtr& part,
                                DamageWatch& damage) const {
  auto options = loader_options_;
  options.damage = &damage;
  return embed_dataset(model, part, options);
}

Evaluation RunEvaluator::evaluate(EmbeddingModel& model, ContrastiveLoss& loss) const {
  Evaluation result;
  const auto known = embed(model, centroid_part_, *centroid_damage_);
  result.class_vectors = class_centroids(known.embeddings, known.labels, num_classes_);
  result.test = embed(model, test_part_, *test_damage_);
  result.accuracy =
      measure_accuracy(class_scores(loss, result.test, result.class_vectors), result.test.labels);
  return result;
}

EvalLoaderOptions eval_loader_options(const InputOptions& input, int64_t batch_size, int threads) {
  return {.batch_size = batch_size, .format = input.format(), .threads = threads};
}

torch::Tensor class_scores(ContrastiveLoss& loss, const EmbeddedSet& samples,
                           const torch::Tensor& class_vectors) {
  torch::NoGradGuard no_grad;
  const auto logits = loss.logits(samples.features);
  // A classifier of other classes (coarse ones) says nothing about these.
  const bool judges = logits.defined() && logits.size(1) == class_vectors.size(0);
  return judges ? logits : cosine_scores(samples.embeddings, class_vectors);
}

}  // namespace projnce
