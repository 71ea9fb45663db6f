#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace projnce {

/// How given labels come about: the true class c of a sample has probability p(c|z), and becomes
/// the label g with probability T[c, g].
struct NoiseModel {
  /// `rate` of each class's labels are wrong, and any other class is as likely.
  NoiseModel(int64_t num_classes, double rate);

  int64_t classes;
  std::vector<double> matrix;  // T, [C, C], rows sum to 1
  double rate;                 ///< share of all labels that are wrong
  /// Pseudo-samples by which each row of T is pulled to the plain shape.
  double pull = 100;
  /// Multiplies scores before the softmax that makes p(c|z) of them.
  double sharpness = 1;

  double probability(int64_t true_class, int64_t given) const {
    return matrix[static_cast<size_t>(true_class * classes + given)];
  }
};

/// Samples as the noise model sees them.
struct ScoredLabels {
  /// `labels` in 0 .. classes - 1; `scores` is [N, C] and stays the caller's.
  ScoredLabels(const std::vector<float>& scores, const std::vector<int64_t>& labels,
               int64_t num_classes);

  int64_t size() const { return static_cast<int64_t>(labels.size()); }

  const std::vector<float>& scores;  // what class vectors say that have not seen the label
  const std::vector<int64_t>& labels;
  int64_t classes;
  std::vector<std::vector<int64_t>> members;  // samples with each label, ascending
};

/// Improves matrix, rate and sharpness to make the given labels likely:
///
///   max sum_i log sum_c p(c|z_i) T[c, g_i],  p(c|z) = softmax_c(sharpness * score_c)
///
/// T by expectation maximisation; each of its rows is pulled to the shape "any other class is as
/// likely" by the number of pseudo-samples that makes labels likely which T was not fitted to: few
/// samples do not make up a pattern, and a pattern that is there is found. The sharpness by a line
/// search. Results do not depend on the threads.
void improve_noise_model(NoiseModel& model, const ScoredLabels& samples);

/// P(true class = c | z, given label) of every sample, [N, C].
std::vector<float> true_class_probabilities(const NoiseModel& model, const ScoredLabels& samples);

/// Of each true class (row) the shares that were given each label, as the samples say on their own;
/// [C, C]. A class that nothing seems to belong to keeps its labels.
std::vector<double> observed_noise_matrix(const NoiseModel& model, const ScoredLabels& samples);

}  // namespace projnce
