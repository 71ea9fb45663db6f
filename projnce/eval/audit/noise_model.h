#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace projnce {

/// The least rate of wrong labels that is assumed: no label is beyond doubt.
inline constexpr double kMinNoiseRate = 1e-3;

/// How given labels come about: a sample with features z has true class c with probability p(c|z),
/// and true class c is given label g with probability T[c, g].
struct NoiseModel {
  /// Uniform noise: `rate` of each class's labels are wrong, and every other class is as likely.
  NoiseModel(int64_t num_classes, double rate);

  int64_t classes;
  std::vector<double> matrix;  // T, [C, C], rows sum to 1
  double rate;                 ///< share of all labels that are wrong
  /// Pseudo-samples of uniform noise that are added to each row of T.
  double prior_strength = 1e4;
  /// Multiplies the logits before the softmax that gives p(c|z).
  double inverse_temperature = 1;
  /// sum_i log sum_c p(c|z_i) T[c, y_i] of the samples that T was fitted to.
  double log_likelihood = 0;

  double probability(int64_t true_class, int64_t given) const {
    return matrix[static_cast<size_t>(true_class * classes + given)];
  }
};

/// Labeled samples with the logits of classifiers that have not seen their labels.
struct ScoredLabels {
  /// `logits` is [N, C]; it and `labels`, in 0 .. num_classes - 1, must outlive this.
  ScoredLabels(const std::vector<float>& logits, const std::vector<int64_t>& labels,
               int64_t num_classes);

  /// Every `stride`th sample of each class, from number `first` on.
  ScoredLabels every(size_t stride, size_t first) const;

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  /// Samples in `members`.
  int64_t used() const;

  const std::vector<float>& logits;
  const std::vector<int64_t>& labels;
  int64_t classes;
  std::vector<std::vector<int64_t>> members;  ///< of each class, ascending
};

/// p(c|z) = softmax_c(inverse_temperature * logits), [N, C]; zeros for samples that
/// are not in `members`.
std::vector<float> class_probabilities(const ScoredLabels& samples, double inverse_temperature);

/// Fits T to `probabilities` = p(c|z) by expectation maximization, from the model's present matrix,
/// with its prior strength; sets matrix, rate and log_likelihood.
void fit_noise_matrix(NoiseModel& model, const ScoredLabels& samples,
                      const std::vector<float>& probabilities);

/// sum_i log sum_c p(c|z_i) T[c, y_i].
double log_likelihood(const NoiseModel& model, const ScoredLabels& samples,
                      const std::vector<float>& probabilities);

/// Replaces p(c|z) of every sample by P(true class = c | z, given label).
void posterior_inplace(const NoiseModel& model, const ScoredLabels& samples,
                       std::vector<float>& probabilities);

}  // namespace projnce
