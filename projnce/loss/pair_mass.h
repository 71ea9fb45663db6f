#pragma once

#include <torch/types.h>

#include "projnce/loss/pair_operands.h"

namespace projnce {

/// log sum_j e^{s_ij} over sets of candidates, [sets, N]: over positives and negatives where there
/// are classes, else over all; minus infinity over nothing. Differentiable once by anchors and
/// candidates. O(N M D) time; memory is O((N + M) D), no score is kept: backward computes them
/// again.
torch::Tensor log_masses(const PairOperands& pairs);

/// sum_j c(log(e^{s_ij} + e^{level_i})) over positives or negatives, [N]; `level` [N] may hold
/// minus infinity. Differentiable once by anchors, candidates and level. Time and memory as above.
/// REQUIRES: classes.
torch::Tensor curve_sum(const PairOperands& pairs, const CurveSum& curve,
                        const torch::Tensor& level);

}  // namespace projnce
