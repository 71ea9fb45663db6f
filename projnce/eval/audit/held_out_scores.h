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

}  // namespace projnce::eval
