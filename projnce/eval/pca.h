#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// Returns rows [N, D] minus their mean, in double precision on the CPU. Throws if a value is not
/// finite or its square overflows in single precision.
torch::Tensor centered_rows(const torch::Tensor& rows);

/// Computes the first principal components of rows [N, D]: [N, components], float64 if the rows
/// are, otherwise float32; on the CPU, no gradient. Signs are deterministic: the loading with the
/// largest absolute value is positive. A component without variance is 0. REQUIRES: 1 <= components
/// <= min(N, D).
torch::Tensor pca(const torch::Tensor& rows, int64_t components);

}  // namespace projnce::eval
