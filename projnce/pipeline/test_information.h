#pragma once

#include <optional>

#include "projnce/eval/information_bounds.h"
#include "projnce/loss/loss.h"
#include "projnce/pipeline/judge.h"

namespace projnce {

/// Certified lower bounds on I(Z;C) of the test samples, by the critic of the loss that trained the
/// encoder: pair form and centroids for losses that compare rows with rows, class vectors or logits
/// for the others. Everything but the evaluated rows comes from the known (training) samples. None
/// if there are fewer than two test samples, or embeddings are not finite.
///
/// Priors are uniform if every class has equally many test samples, as datasets have that are
/// balanced by construction; otherwise training frequencies, which the bounds correct for.
std::optional<InformationBounds> test_information(const JudgedSamples& samples, Loss& loss);

}  // namespace projnce
