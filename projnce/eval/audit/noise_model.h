#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace projnce::eval {

/// Minimum assumed rate of wrong labels.
inline constexpr double kMinNoiseRate = 1e-3;

/// Generative model of the given labels: a sample with features z has true class c with probability
/// p(c|z), and a sample of true class c gets label g with probability T[c, g].
struct NoiseModel {
  /// Uniform noise: a fraction `rate` of each class's labels is wrong, uniformly over other
  /// classes.
  NoiseModel(int64_t num_classes, double rate);

  int64_t classes;
  std::vector<double> matrix;  // T, [C, C], rows sum to 1
  double rate;                 ///< fraction of all labels that are wrong
  /// Number of pseudo-samples of uniform noise added to each row of T.
  double prior_strength = 1e4;
  /// Factor on the logits in p(c|z) = softmax(inverse_temperature * logits).
  double inverse_temperature = 1;
  /// sum_i log sum_c p(c|z_i) T[c, y_i] over the samples that T was fitted to.
  double log_likelihood = 0;

  double probability(int64_t true_class, int64_t given) const {
    return matrix[static_cast<size_t>(true_class * classes + given)];
  }
};

/// Labeled samples with held-out logits.
struct ScoredLabels {
  /// `logits` [N, C] and `labels` [N], in 0 .. num_classes - 1, must outlive this object.
  ScoredLabels(const std::vector<float>& logits, const std::vector<int64_t>& labels,
               int64_t num_classes);

  /// Returns every `stride`-th sample of each class, starting at index `first`.
  ScoredLabels every(size_t stride, size_t first) const;

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  /// Returns the number of samples in `members`.
  int64_t used() const;

  const std::vector<float>& logits;
  const std::vector<int64_t>& labels;
  int64_t classes;
  std::vector<std::vector<int64_t>> members;  ///< sample indices of each class, ascending
};

/// p(c|z) = softmax_c(inverse_temperature * logits), [N, C]; zeros for samples that
/// are not in `members`.
std::vector<float> class_probabilities(const ScoredLabels& samples, double inverse_temperature);

/// Fits T to `probabilities` = p(c|z) by expectation maximization, starting from the model's matrix
/// and with its prior strength; sets matrix, rate and log_likelihood.
void fit_noise_matrix(NoiseModel& model, const ScoredLabels& samples,
                      const std::vector<float>& probabilities);

/// sum_i log sum_c p(c|z_i) T[c, y_i].
double log_likelihood(const NoiseModel& model, const ScoredLabels& samples,
                      const std::vector<float>& probabilities);

/// Replaces p(c|z) of every sample by P(true class = c | z, given label).
void posterior_inplace(const NoiseModel& model, const ScoredLabels& samples,
                       std::vector<float>& probabilities);

/// Assumption about wrong labels.
enum class NoiseKind {
  kUniform,  ///< the same rate for every class, and every other class is equally likely
  kPattern,  ///< class-dependent rates and confusions
};

/// A noise model fitted to held-out logits, with its uncertainty.
struct NoiseFit {
  NoiseKind kind = NoiseKind::kUniform;  ///< assumed kind of noise
  NoiseModel best;                       ///< most likely model
  /// Models at neighboring temperatures; several have weight if there are few samples.
  std::vector<NoiseModel> models;
  std::vector<double> weights;  ///< posterior probabilities of `models`; sum to 1
  /// Log likelihood of each half of the labels under the noise matrix of the other half. Compares
  /// logits with each other: a larger value predicts given labels better.
  double held_out = 0;
  int64_t held_out_samples = 0;  ///< number of labels in `held_out`
};

/// Fits temperature and noise matrix to the given labels:
///
///   max sum_i log sum_c p(c|z_i) T[c, y_i],   p(c|z) = softmax_c(inverse_temperature * logit_c)
///
/// The temperature is searched on a grid, because T = identity with soft probabilities and noise
/// with sharp ones are both local maxima. The prior strength of a pattern is selected by the
/// held-out likelihood.
NoiseFit fit_noise(const ScoredLabels& samples, NoiseKind kind);

/// Approximates NoiseFit::held_out with the prior strength of `start`, by a coarse search from its
/// matrix. Used to compare logits.
double quick_held_out(const ScoredLabels& samples, const NoiseModel& start);

/// Returns P(true class = c | z, given label) of every sample, [N, C], averaged over the models.
std::vector<float> true_class_probabilities(const NoiseFit& fit, const ScoredLabels& samples);

}  // namespace projnce::eval
