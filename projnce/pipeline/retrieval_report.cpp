#include "projnce/pipeline/retrieval_report.h"

#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/eval/clusters.h"
#include "projnce/projection/class_groups.h"

namespace projnce {

RetrievalReport measure_retrieval_report(const torch::Tensor& rows, const torch::Tensor& labels) {
  const auto classes = std::get<0>(torch::_unique2(labels)).size(0);
  return {.retrieval = measure_retrieval(rows, labels),
          .nmi = normalized_information(k_means(unit_rows(rows), classes), labels)};
}

nlohmann::ordered_json retrieval_json(const RetrievalReport& report) {
  const auto& found = report.retrieval;
  nlohmann::ordered_json result = {{"queries", found.queries}};
  for (size_t k = 0; k < found.ranks.size(); ++k) {
    result[concat("recall_at_", found.ranks[k])] = found.recall[k];
  }
  result["r_precision"] = found.r_precision;
  result["map_at_r"] = found.map_at_r;
  result["nmi"] = report.nmi;
  return result;
}

}  // namespace projnce
