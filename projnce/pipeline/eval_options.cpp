#include "projnce/pipeline/eval_options.h"

#include "projnce/core/table_reader.h"

namespace projnce {

EvalOptions read_eval_options(Table& table) {
  EvalOptions options;
  TableReader(table, "eval")
      .field("every", options.every, at_least(1))
      .field("centroid_samples", options.centroid_samples, at_least(0))
      .field("batch_size", options.batch_size, between(1, 1 << 20))
      .done();
  return options;
}

}  // namespace projnce
