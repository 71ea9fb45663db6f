#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace projnce::eval {

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

/// What is assumed about wrong labels.
enum class NoiseKind {
  kUniform,  ///< any other class is as likely, and every class has the same rate
  kPattern,  ///< classes have rates of their own, and are confused with some classes rather than
             ///< all
};

/// A noise model fitted to held-out logits, with what is uncertain about it.
struct NoiseFit {
  NoiseKind kind = NoiseKind::kUniform;  ///< what the noise was assumed to be
  NoiseModel best;                       ///< the most likely one
  /// Models at neighboring temperatures, and how probable each is; few samples leave several.
  std::vector<NoiseModel> models;
  std::vector<double> weights;  ///< of `models`; sum to 1
  /// Log likelihood of each half of the labels under the noise matrix of the other half. Compares
  /// logits with each other: a larger value predicts given labels better.
  double held_out = 0;
  int64_t held_out_samples = 0;  ///< how many labels that was measured on
};

/// Fits temperature and noise matrix to the given labels:
///
///   max sum_i log sum_c p(c|z_i) T[c, y_i],   p(c|z) = softmax_c(inverse_temperature * logit_c)
///
/// The temperature is searched on a grid, because T = identity with soft probabilities and noise
/// with sharp ones are both local maxima. How close a pattern stays to uniform noise is chosen by
/// the likelihood of held-out labels.
NoiseFit fit_noise(const ScoredLabels& samples, NoiseKind kind);

/// `held_out` of a fit with the prior strength of `start`, by a coarse search from its matrix: to
/// compare logits with each other.
double quick_held_out(const ScoredLabels& samples, const NoiseModel& start);

/// P(true class = c | z, given label) of every sample, [N, C], averaged over the fit's models.
std::vector<float> true_class_probabilities(const NoiseFit& fit, const ScoredLabels& samples);

}  // namespace projnce::eval
