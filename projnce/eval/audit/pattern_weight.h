#pragma once

#include "projnce/eval/audit/held_out_scores.h"

namespace projnce::eval {

/// Weight, in 0 .. 1, of a pattern of mistakes against uniform noise as the explanation of the
/// given labels; both are the best fits of their kind.
///
/// Where classes overlap, a pattern predicts labels better than uniform noise does even if none is
/// wrong, because it describes the overlap. Two things tell them apart. Wrong labels are as
/// frequent among samples that the classifier is sure of as among others, overlap is not: see
/// `flatness_of_mistakes`. And refits of the classifier under the pattern add much more to the
/// likelihood if the mistakes are real. So the likelihood that a pattern must gain falls with the
/// flatness. It is never excluded: if uniform noise finds nothing, the pattern still ranks.
double pattern_weight(const FoldData& data, const HeldOutScores& uniform,
                      const HeldOutScores& pattern);

/// Share of labels that are not the predicted class among the surest 30 % of the samples of each
/// predicted class, divided by the share among all; 0 if every label is predicted.
double flatness_of_mistakes(const FoldData& data, const HeldOutScores& scores);

}  // namespace projnce::eval
