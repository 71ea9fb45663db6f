#include "projnce/pipeline/eval_options.h"

#include "projnce/core/table_reader.h"

namespace projnce {

EvalOptions read_eval_options(Table& table) {
  EvalOptions options;
  TableReader(table, "eval")
      .field("every", options.every, at_least(1))
      .field("centroid_samples", options.centroid_samples, at_least(0))
      .field("batch_size", options.batch_size, between(1, 1 << 20))
      .field("protocols", options.protocols)
      .field("final_protocols", options.final_protocols)
      .field("knn_neighbors", options.knn.neighbors, at_least(0))
      .field("knn_temperature", options.knn.temperature, above(0))
      .done();
  return options;
}

}  // namespace projnce
