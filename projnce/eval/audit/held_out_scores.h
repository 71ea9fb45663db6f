#pragma once

#include <functional>
#include <vector>

#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/noise_model.h"

namespace projnce::eval {

/// Held-out logits, from classifiers that have not seen a sample's label, and the label noise
/// fitted to them.
struct HeldOutScores {
  std::vector<float> logits;  // [N, C], in the order of the fold data
  NoiseFit fit;               ///< noise model fitted to the logits
};

/// Weighted ensemble of candidates that predict held-out labels about equally well.
struct HeldOutEnsemble {
  std::vector<HeldOutScores> members;  ///< at least one
  std::vector<double> weights;         ///< sum to 1

  const HeldOutScores& best() const;  ///< member with the largest weight
};

/// Called with the number of finished stages and the maximum number of stages.
using StageProgress = std::function<void(int64_t done, int64_t most)>;

/// Fits the following candidates and compares them by the held-out likelihood of the given labels:
///
///   - multinomial logistic regression with several weight decays,
///   - the same, refitted several times under the estimated label noise,
///   - the best of them combined with nearest-neighbor votes,
///
/// each with its own noise model, once for uniform noise and once for a pattern of mistakes. Within
/// a kind of noise, a candidate's weight is its likelihood: with many samples the best one
/// dominates, with few samples several candidates are averaged. The two kinds are weighted by
/// pattern_weight.
HeldOutEnsemble held_out_scores(const FoldData& data, const StageProgress& progress = {});

/// Returns the weight, in 0 .. 1, of a pattern of mistakes against uniform noise as the explanation
/// of the given labels; both are the best fits of their kind.
///
/// If classes overlap, a pattern predicts labels better than uniform noise even if none is wrong,
/// because it models the overlap. Two criteria distinguish them. Wrong labels are equally frequent
/// among confident and other samples, overlap is not: see `flatness_of_mistakes`. And refitting the
/// classifier under the pattern increases the likelihood much more if the mistakes are real. Hence
/// the required gain in likelihood decreases with the flatness. The weight is never 0: if uniform
/// noise finds nothing, the pattern still ranks the samples.
double pattern_weight(const FoldData& data, const HeldOutScores& uniform,
                      const HeldOutScores& pattern);

/// Error rate among the most confident 30 % of the samples of each predicted class, divided by the
/// overall error rate; 0 if every label is predicted.
double flatness_of_mistakes(const FoldData& data, const HeldOutScores& scores);

}  // namespace projnce::eval
