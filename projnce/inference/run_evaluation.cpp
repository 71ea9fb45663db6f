#include "projnce/inference/run_evaluation.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "projnce/dataset/labels.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/eval/information_bounds.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/loss/loss.h"

namespace projnce::inference {

namespace {

/// Maximum number of training rows for class vectors that need all pairs (perp).
constexpr int64_t kMaxCriticRows = 4096;

information::ClassPriors test_priors(const EvalInputs& samples) {
  const auto sizes = torch::bincount(samples.test.labels, {}, samples.num_classes);
  if (sizes.eq(sizes[0]).all().item<bool>()) return {.num_classes = samples.num_classes};
  return information::smoothed_priors(samples.reference.labels, samples.num_classes);
}

/// Subsamples every n-th row, so that at most kMaxCriticRows remain.
torch::Tensor subsample_rows(const torch::Tensor& rows) {
  const int64_t step = std::max<int64_t>(1, (rows.size(0) + kMaxCriticRows - 1) / kMaxCriticRows);
  return rows.slice(0, 0, rows.size(0), step);
}

bool all_finite(const torch::Tensor& values) {
  return !values.defined() || torch::isfinite(values).all().item<bool>();
}

/// False for diverged weights. NaN is allowed: it marks classes without a vector.
bool no_infinities(const torch::Tensor& vectors) {
  return !vectors.defined() || !vectors.isinf().any().item<bool>();
}

/// Certified lower bounds on I(Z;C) of the test samples, with the critic of the loss that trained
/// the encoder: pair form and centroids for losses that compare rows with rows, class vectors or
/// logits for the others. Everything but the evaluated rows comes from the reference (training)
/// samples. Empty if there are fewer than two test samples or if embeddings are not finite.
///
/// Priors are uniform if all classes have the same number of test samples; otherwise training
/// frequencies, which the bounds correct for.
std::optional<eval::InformationBounds> test_information(const EvalInputs& samples,
                                                        loss::Loss& loss) {
  const auto& test = samples.test;
  const auto& reference = samples.reference;
  if (test.labels.size(0) < 2) return {};
  const torch::NoGradGuard no_gradient;
  // Diverged weights are not an error here: training itself reports them.
  if (!all_finite(test.embeddings) || !all_finite(reference.embeddings) ||
      !all_finite(samples.logits)) {
    return {};
  }
  const auto device = encoder::device_of(loss);
  auto critic = loss.critic(subsample_rows(reference.embeddings).to(device),
                            subsample_rows(reference.labels), samples.num_classes);
  for (auto* tensor : {&critic.class_vectors, &critic.negatives}) {
    if (tensor->defined()) *tensor = tensor->cpu();
  }
  if (!no_infinities(critic.class_vectors) || !all_finite(critic.negatives)) return {};
  return eval::held_out_bounds(
      {.rows = {test.embeddings, test.labels},
       .class_vectors =
           critic.class_vectors.defined() ? critic.class_vectors : samples.class_vectors,
       .logits = samples.logits,
       .reference_rows = reference.embeddings,
       .reference_labels = reference.labels,
       .negatives = critic.negatives,
       .pairs = critic.compares_rows},
      test_priors(samples), samples.temperature);
}

/// Samples first .. end - 1.
dataset::DatasetPtr slice_dataset(const dataset::DatasetPtr& samples, int64_t first, int64_t end) {
  std::vector<int64_t> indices(static_cast<size_t>(end - first));
  std::iota(indices.begin(), indices.end(), first);
  return std::make_shared<dataset::SubsetDataset>(samples, std::move(indices));
}

}  // namespace

RunEvaluator::RunEvaluator(const data::TrainingData& data, EvaluatorSettings settings)
    : loader_options_(
          eval_loader_options(data.input, settings.options.batch_size, settings.threads)),
      centroid_split_(data.reference),
      test_split_(data.test_split),
      validation_split_(data.validation),
      corrupt_test_(std::make_unique<loader::CorruptSampleTracker>(
          data.test_split->size(), settings.logger, data.dataset.max_corrupt)),
      num_classes_(static_cast<int64_t>(data.class_names().size())),
      settings_(std::move(settings)) {
  const int64_t max_samples = settings_.options.centroid_samples;
  if (max_samples > 0 && max_samples < centroid_split_->size()) {
    centroid_split_ = std::make_shared<dataset::SubsetDataset>(
        centroid_split_, dataset::stratified_subset(*centroid_split_, max_samples, /*seed=*/0));
  }
  corrupt_centroid_ = std::make_unique<loader::CorruptSampleTracker>(
      centroid_split_->size(), nullptr, data.dataset.max_corrupt);
  if (validation_split_) {
    corrupt_validation_ = std::make_unique<loader::CorruptSampleTracker>(
        validation_split_->size(), settings_.logger, data.dataset.max_corrupt);
  }
}

EmbeddedSet RunEvaluator::embed(encoder::EmbeddingModel& model, const dataset::DatasetPtr& part,
                                loader::CorruptSampleTracker& corrupt_samples) const {
  auto options = loader_options_;
  options.corrupt_samples = &corrupt_samples;
  if (settings_.ranks->size() > 1) return embed_share(model, part, options);
  return embed_dataset(model, part, options, [this](int64_t) {
    if (settings_.stop_requested && settings_.stop_requested()) throw EvaluationStopped{};
  });
}

EmbeddedSet RunEvaluator::embed_share(encoder::EmbeddingModel& model,
                                      const dataset::DatasetPtr& part,
                                      const loader::EvalLoaderOptions& options) const {
  auto& ranks = *settings_.ranks;
  const int64_t first = part->size() * ranks.rank() / ranks.size();
  const int64_t end = part->size() * (ranks.rank() + 1) / ranks.size();
  auto set = embed_dataset(model, slice_dataset(part, first, end), options);
  set.indices += first;
  const auto counts = ranks.all_gather_counts(set.labels.size(0));
  for (auto* field : {&set.embeddings, &set.features, &set.labels, &set.indices}) {
    *field = ranks.all_gather_rows(*field, counts, "gathering embeddings");
  }
  return set;
}

Evaluation RunEvaluator::evaluate(encoder::EmbeddingModel& model, loss::Loss& loss,
                                  const std::vector<std::string>& names) const {
  const auto protocols = eval::with_readout(names, settings_.options.readout);
  Evaluation result;
  auto& samples = result.samples;
  samples.reference = embed(model, centroid_split_, *corrupt_centroid_);
  samples.test = embed(model, test_split_, *corrupt_test_);
  samples.num_classes = num_classes_;
  samples.temperature = settings_.temperature;
  samples.device = encoder::device_of(model);
  samples.class_vectors =
      eval::class_centroids(samples.reference.embeddings, samples.reference.labels, num_classes_);
  add_learned_classes(samples, loss);
  if (validation_split_) {
    result.validation = samples;
    result.validation->test = embed(model, validation_split_, *corrupt_validation_);
    add_learned_classes(*result.validation, loss);
  }
  if (!settings_.ranks->is_rank_zero()) return result;
  result.results = evaluate_protocols(samples, protocols, settings_.options.knn);
  result.information = test_information(samples, loss);
  if (result.validation) {
    const auto protocol = result.results.front().protocol;
    result.validation_accuracy =
        evaluate_protocol(*result.validation, protocol, settings_.options.knn).accuracy.top1;
  }
  return result;
}

loader::EvalLoaderOptions eval_loader_options(const config::InputOptions& input, int64_t batch_size,
                                              int threads) {
  return {.batch_size = batch_size, .format = input.format(), .threads = threads};
}

double loss_temperature(const loss::LossOptions& options) {
  return loss::temperature_of(options).value_or(EvalInputs{}.temperature);
}

void add_learned_classes(EvalInputs& samples, loss::Loss& loss) {
  const torch::NoGradGuard no_gradient;
  const auto logits = loss.logits(samples.test.features.to(encoder::device_of(loss)));
  if (logits.defined() && logits.size(1) == samples.num_classes) samples.logits = logits.cpu();
  const auto vectors = loss.class_vectors();
  if (vectors.defined() && vectors.size(0) == samples.num_classes) {
    samples.learned_vectors = vectors.detach().cpu();
  }
}

std::vector<ProtocolResult> evaluate_protocols(const EvalInputs& samples,
                                               const std::vector<std::string>& protocols,
                                               const eval::KnnOptions& knn) {
  std::vector<ProtocolResult> results;
  for (const auto protocol : eval::choose_protocols(protocols, samples.logits.defined(),
                                                    samples.learned_vectors.defined())) {
    results.push_back(evaluate_protocol(samples, protocol, knn));
  }
  return results;
}

}  // namespace projnce::inference
