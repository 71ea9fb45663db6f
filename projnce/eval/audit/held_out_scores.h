#pragma once

#include <functional>
#include <vector>

#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/noise_model.h"

namespace projnce::eval {

/// What classifiers that have not seen a sample's label say about it, and the label noise that
/// explains the given labels best.
struct HeldOutScores {
  std::vector<float> logits;  // [N, C], in the order of the fold data
  NoiseFit fit;               ///< to these logits
};

/// Candidates that predict held-out labels about equally well, and the weight of each.
struct HeldOutEnsemble {
  std::vector<HeldOutScores> members;  ///< at least one
  std::vector<double> weights;         ///< sum to 1

  const HeldOutScores& best() const;  ///< the one with the largest weight
};

/// Called with the number of stages that are finished, and how many there may be.
using StageProgress = std::function<void(int64_t done, int64_t most)>;

/// Fits, and compares by the held-out likelihood of the given labels,
///
///   - multinomial logistic regression at several weight decays,
///   - the same fitted again under the estimated label noise, some rounds,
///   - the best of them combined with the votes of the nearest neighbors,
///
/// each with a noise model of its own, once assuming uniform noise and once a pattern of mistakes.
/// Within a kind of noise a candidate's weight is its likelihood: with many samples the best one
/// decides alone, with few the audit averages over what the labels leave possible. The two kinds
/// are weighted by pattern_weight.
HeldOutEnsemble held_out_scores(const FoldData& data, const StageProgress& progress = {});

}  // namespace projnce::eval
