#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "projnce/information/mixed_ksg.h"

namespace projnce::information {

/// Entropy of the label histogram in nats, -sum_c n_c/N log(n_c/N): what embeddings can at most
/// know about these labels. `labels` are [N] integers, N >= 1.
double label_entropy(const torch::Tensor& labels);

/// Rows of the smallest class that occurs in `labels` ([N] integers, N >= 1).
int64_t smallest_class_size(const torch::Tensor& labels);

/// Half the width of a 95 % interval around label_information(embeddings, labels), or nothing if
/// there are fewer than 20 k rows per class, averaged over classes. The rows are divided by chance
/// into ten parts and each is measured by itself: the variance of an estimate falls as 1/N (Holmes
/// and Nemenman, 2019), so that of the whole is a tenth of that of a part. A bootstrap would put
/// rows on top of each other, which nearest neighbors take for information.
std::optional<double> information_margin(const torch::Tensor& embeddings,
                                         const torch::Tensor& labels,
                                         const LabelInformationOptions& options = {},
                                         uint64_t seed = 0);

}  // namespace projnce::information
