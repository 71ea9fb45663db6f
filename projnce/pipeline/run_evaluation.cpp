#include "projnce/pipeline/run_evaluation.h"

#include <torch/torch.h>

#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"
#include "projnce/eval/nearest_centroid.h"

namespace projnce {

RunEvaluator::RunEvaluator(const TrainingData& data, const EvalOptions& options, double temperature,
                           int threads, const Logger& logger)
    : loader_options_(eval_loader_options(data.input, options.batch_size, threads)),
      centroid_part_(data.known),
      test_part_(data.judged),
      test_damage_(std::make_unique<DamageWatch>(data.judged->size(), logger)),
      num_classes_(static_cast<int64_t>(data.class_names().size())),
      knn_(options.knn),
      temperature_(temperature) {
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

Evaluation RunEvaluator::evaluate(EmbeddingModel& model, ContrastiveLoss& loss,
                                  const std::vector<std::string>& protocols) const {
  Evaluation result;
  auto& samples = result.samples;
  samples.known = embed(model, centroid_part_, *centroid_damage_);
  samples.test = embed(model, test_part_, *test_damage_);
  samples.num_classes = num_classes_;
  samples.temperature = temperature_;
  samples.class_vectors =
      class_centroids(samples.known.embeddings, samples.known.labels, num_classes_);
  add_learned_classes(samples, loss);
  result.judgements = judge_by(samples, protocols, knn_);
  return result;
}

EvalLoaderOptions eval_loader_options(const InputOptions& input, int64_t batch_size, int threads) {
  return {.batch_size = batch_size, .format = input.format(), .threads = threads};
}

double loss_temperature(const Table& config) {
  const auto& settings = config.tables.at("loss").values;
  const auto found = settings.find("temperature");
  if (found == settings.end()) return JudgedSamples{}.temperature;
  const auto* number = std::get_if<double>(&found->second.data);
  return number != nullptr ? *number : JudgedSamples{}.temperature;
}

void add_learned_classes(JudgedSamples& samples, ContrastiveLoss& loss) {
  const torch::NoGradGuard no_gradient;
  const auto logits = loss.logits(samples.test.features);
  if (logits.defined() && logits.size(1) == samples.num_classes) samples.logits = logits;
  const auto vectors = loss.class_vectors();
  if (vectors.defined() && vectors.size(0) == samples.num_classes) {
    samples.learned_vectors = vectors.detach();
  }
}

std::vector<Judgement> judge_by(const JudgedSamples& samples,
                                const std::vector<std::string>& protocols, const KnnOptions& knn) {
  std::vector<Judgement> judgements;
  for (const auto protocol :
       choose_protocols(protocols, samples.logits.defined(), samples.learned_vectors.defined())) {
    judgements.push_back(judge(samples, protocol, knn));
  }
  return judgements;
}

}  // namespace projnce
