#pragma once

#include <vector>

#include "projnce/eval/audit/noise_model.h"

namespace projnce {

/// Prior strength of uniform noise; a smaller one lets a pattern of mistakes show.
inline constexpr double kUniformStrength = 1e4;

/// A noise model fitted to held-out logits, with what is uncertain about it.
struct NoiseFit {
  NoiseModel best;  ///< the most likely one
  /// Models at neighboring temperatures, and how probable each is; few samples leave several.
  std::vector<NoiseModel> models;
  std::vector<double> weights;  ///< of `models`; sum to 1
  /// Log likelihood of each half of the labels under the noise matrix of the other half. Compares
  /// logits with each other: a larger value predicts given labels better.
  double held_out = 0;
  double held_out_per_sample = 0;  ///< the same per label, in nats
};

/// Fits temperature and noise matrix to the given labels:
///
///   max sum_i log sum_c p(c|z_i) T[c, y_i],   p(c|z) = softmax_c(inverse_temperature * logit_c)
///
/// The temperature is searched on a grid, because T = identity with soft probabilities and noise
/// with sharp ones are both local maxima. T stays close to uniform noise unless other noise
/// predicts held-out labels clearly better: classes that merely overlap must not look like
/// mislabeled ones.
/// `pattern_gain` is what it must gain, in nats a sample.
NoiseFit fit_noise(const ScoredLabels& samples, double pattern_gain);

/// `held_out` of a fit with the prior strength of `start`, by a coarse search from its matrix: to
/// compare logits with each other.
double quick_held_out(const ScoredLabels& samples, const NoiseModel& start);

/// P(true class = c | z, given label) of every sample, [N, C], averaged over the fit's models.
std::vector<float> true_class_probabilities(const NoiseFit& fit, const ScoredLabels& samples);

}  // namespace projnce
