#pragma once

#include <torch/types.h>

#include "projnce/loss/projnce.h"
#include "projnce/loss/rince.h"
#include "projnce/loss/supcon.h"
#include "projnce/loss/symnce.h"

namespace projnce::testing {

// The formulas of the headers, pair by pair in plain loops: slow, and hard to get wrong.
// Rows are float64 [N, D], labels [N].
double naive_supcon(const torch::Tensor& rows, const torch::Tensor& labels,
                    const SupConOptions& options);
double naive_projnce(const torch::Tensor& rows, const torch::Tensor& labels,
                     const ProjnceOptions& options);
double naive_rince(const torch::Tensor& rows, const torch::Tensor& labels,
                   const RinceOptions& options);
double naive_symnce(const torch::Tensor& rows, const torch::Tensor& labels,
                    const SymnceOptions& options);

}  // namespace projnce::testing
