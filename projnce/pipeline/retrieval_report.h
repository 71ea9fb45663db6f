#pragma once

#include <torch/types.h>

#include <nlohmann/json.hpp>

#include "projnce/eval/retrieval.h"

namespace projnce {

/// How well rows find their class among each other, and how well k-means finds the classes.
struct RetrievalReport {
  Retrieval retrieval;
  double nmi = 0;  ///< normalised mutual information of clusters and classes
};

/// Of rows [N, D] with labels [N].
RetrievalReport measure_retrieval_report(const torch::Tensor& rows, const torch::Tensor& labels);

/// queries, recall_at_1 and so on, r_precision, map_at_r, nmi.
nlohmann::ordered_json retrieval_json(const RetrievalReport& report);

}  // namespace projnce
