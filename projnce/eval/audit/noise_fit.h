#pragma once

#include <vector>

#include "projnce/eval/audit/noise_model.h"

namespace projnce {

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

}  // namespace projnce
