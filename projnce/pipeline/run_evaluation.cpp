#include "projnce/pipeline/run_evaluation.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <numeric>
#include <utility>

#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/pipeline/test_information.h"

namespace projnce {

namespace {

/// Consecutive samples.
DatasetPtr run_of(const DatasetPtr& samples, int64_t first, int64_t end) {
  std::vector<int64_t> indices(static_cast<size_t>(end - first));
  std::iota(indices.begin(), indices.end(), first);
  return std::make_shared<SubsetDataset>(samples, std::move(indices));
}

}  // namespace

RunEvaluator::RunEvaluator(const TrainingData& data, EvaluatorSettings settings)
    : loader_options_(
          eval_loader_options(data.input, settings.options.batch_size, settings.threads)),
      centroid_part_(data.known),
      test_part_(data.judged),
      validation_part_(data.validation),
      test_damage_(std::make_unique<DamageWatch>(data.judged->size(), settings.logger,
                                                 data.dataset.max_corrupt)),
      num_classes_(static_cast<int64_t>(data.class_names().size())),
      settings_(std::move(settings)) {
  const int64_t wanted = settings_.options.centroid_samples;
  if (wanted > 0 && wanted < centroid_part_->size()) {
    centroid_part_ = std::make_shared<SubsetDataset>(
        centroid_part_, stratified_subset(*centroid_part_, wanted, /*seed=*/0));
  }
  centroid_damage_ =
      std::make_unique<DamageWatch>(centroid_part_->size(), nullptr, data.dataset.max_corrupt);
  if (validation_part_) {
    validation_damage_ = std::make_unique<DamageWatch>(validation_part_->size(), settings_.logger,
                                                       data.dataset.max_corrupt);
  }
}

EmbeddedSet RunEvaluator::embed(EmbeddingModel& model, const DatasetPtr& part,
                                DamageWatch& damage) const {
  auto options = loader_options_;
  options.damage = &damage;
  if (settings_.ranks->size() > 1) return embed_share(model, part, options);
  return embed_dataset(model, part, options, [this](int64_t) {
    if (settings_.stop_requested && settings_.stop_requested()) throw EvaluationStopped{};
  });
}

EmbeddedSet RunEvaluator::embed_share(EmbeddingModel& model, const DatasetPtr& part,
                                      const EvalLoaderOptions& options) const {
  auto& ranks = *settings_.ranks;
  const int64_t first = part->size() * ranks.rank() / ranks.size();
  const int64_t end = part->size() * (ranks.rank() + 1) / ranks.size();
  auto set = embed_dataset(model, run_of(part, first, end), options);
  set.indices += first;
  const auto counts = ranks.gather_counts(set.labels.size(0));
  for (auto* field : {&set.embeddings, &set.features, &set.labels, &set.indices}) {
    *field = ranks.gather_rows(*field, counts, "gathering embeddings");
  }
  return set;
}

Evaluation RunEvaluator::evaluate(EmbeddingModel& model, Loss& loss,
                                  const std::vector<std::string>& names) const {
  const auto protocols = with_readout(names, settings_.options.readout);
  Evaluation result;
  auto& samples = result.samples;
  samples.known = embed(model, centroid_part_, *centroid_damage_);
  samples.test = embed(model, test_part_, *test_damage_);
  samples.num_classes = num_classes_;
  samples.temperature = settings_.temperature;
  samples.class_vectors =
      class_centroids(samples.known.embeddings, samples.known.labels, num_classes_);
  add_learned_classes(samples, loss);
  if (validation_part_) {
    result.validation = samples;
    result.validation->test = embed(model, validation_part_, *validation_damage_);
    add_learned_classes(*result.validation, loss);
  }
  if (!settings_.ranks->first()) return result;
  result.judgements = judge_by(samples, protocols, settings_.options.knn);
  result.information = test_information(samples, loss);
  if (result.validation) {
    const auto protocol = result.judgements.front().protocol;
    result.validation_accuracy =
        judge(*result.validation, protocol, settings_.options.knn).accuracy.top1;
  }
  return result;
}

EvalLoaderOptions eval_loader_options(const InputOptions& input, int64_t batch_size, int threads) {
  return {.batch_size = batch_size, .format = input.format(), .threads = threads};
}

double loss_temperature(const LossOptions& options) {
  return temperature_of(options).value_or(JudgedSamples{}.temperature);
}

void add_learned_classes(JudgedSamples& samples, Loss& loss) {
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
