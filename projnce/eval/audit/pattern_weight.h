#pragma once

#include "projnce/eval/audit/held_out_scores.h"

namespace projnce::eval {

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
