#pragma once

#include <torch/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>

namespace projnce {

/// How well rows [N, D] find their class among each other, and how well k-means finds the classes:
/// recall@k, R-precision, MAP@R and normalised mutual information. labels are [N].
nlohmann::ordered_json measure_retrieval_report(const torch::Tensor& rows,
                                                const torch::Tensor& labels);

}  // namespace projnce
