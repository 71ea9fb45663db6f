#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// rows [N, D] less their mean, in double precision on the CPU. Throws where a number is not finite
/// or so large that its square is not (in single precision).
torch::Tensor centered_rows(const torch::Tensor& rows);

/// The first principal components of rows [N, D]: [N, components], float64 where the rows are, else
/// float32; on the CPU, no gradient. The largest loading of a component, by its absolute value, is
/// positive: the sign is always the same. A component without variance is 0.
/// 1 <= components <= min(N, D).
torch::Tensor pca(const torch::Tensor& rows, int64_t components);

}  // namespace projnce::eval
