#include "projnce/pipeline/test_information.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>

namespace projnce {

namespace {

/// Training rows that class vectors are computed from if that takes all pairs (perp).
constexpr int64_t kCriticRows = 4096;

ClassPriors test_priors(const JudgedSamples& samples) {
  const auto sizes = torch::bincount(samples.test.labels, {}, samples.num_classes);
  if (sizes.eq(sizes[0]).all().item<bool>()) return {.num_classes = samples.num_classes};
  return smoothed_priors(samples.known.labels, samples.num_classes);
}

/// Every n-th row, so that at most kCriticRows remain.
torch::Tensor some_rows(const torch::Tensor& rows) {
  const int64_t step = std::max<int64_t>(1, (rows.size(0) + kCriticRows - 1) / kCriticRows);
  return rows.slice(0, 0, rows.size(0), step);
}

bool all_finite(const torch::Tensor& values) {
  return !values.defined() || torch::isfinite(values).all().item<bool>();
}

/// Vectors of diverged weights; NaN marks classes that have none.
bool all_usable(const torch::Tensor& vectors) {
  return !vectors.defined() || !vectors.isinf().any().item<bool>();
}

}  // namespace

std::optional<InformationBounds> test_information(const JudgedSamples& samples, Loss& loss) {
  const auto& test = samples.test;
  const auto& known = samples.known;
  if (test.labels.size(0) < 2) return {};
  const torch::NoGradGuard no_gradient;
  // Diverged weights are not an error here: training itself reports them.
  if (!all_finite(test.embeddings) || !all_finite(known.embeddings) ||
      !all_finite(samples.logits)) {
    return {};
  }
  const auto critic =
      loss.critic(some_rows(known.embeddings), some_rows(known.labels), samples.num_classes);
  if (!all_usable(critic.class_vectors) || !all_finite(critic.negatives)) return {};
  return held_out_bounds({.rows = {test.embeddings, test.labels},
                          .class_vectors = critic.class_vectors.defined() ? critic.class_vectors
                                                                          : samples.class_vectors,
                          .logits = samples.logits,
                          .reference_rows = known.embeddings,
                          .reference_labels = known.labels,
                          .negatives = critic.negatives,
                          .pairs = critic.compares_rows},
                         test_priors(samples), samples.temperature);
}

}  // namespace projnce
