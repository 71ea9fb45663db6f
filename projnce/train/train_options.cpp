#include "projnce/train/train_options.h"

#include "projnce/core/table_reader.h"

namespace projnce {

TrainOptions read_train_options(Table& table) {
  TrainOptions options;
  TableReader(table, "train")
      .field("epochs", options.epochs, between(1, 1e6))
      .field("batch_size", options.batch_size, between(2, 1 << 20))
      .field("learning_rate", options.learning_rate, above(0))
      .field("weight_decay", options.weight_decay, at_least(0))
      .field("clip_norm", options.clip_norm, at_least(0))
      .field("balanced", options.balanced)
      .field("log_every", options.log_every, at_least(1))
      .field("keep_checkpoints", options.keep_checkpoints, at_least(2))
      .field("warmup_epochs", options.schedule.warmup_epochs, at_least(0))
      .choice("schedule", options.schedule.schedule,
              {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}})
      .done();
  return options;
}

}  // namespace projnce
