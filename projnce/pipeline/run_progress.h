#pragma once

#include <cstdint>
#include <string>

namespace projnce {

/// What a run knows besides the trainer's state; it travels in every checkpoint.
struct RunProgress {
  int64_t metrics_bytes = 0;  ///< length of metrics.jsonl that belongs to the checkpoint
  double last_accuracy = 0;
  double best_accuracy = -1;
  int64_t best_epoch = 0;  ///< counted from 1
  double last_top5 = 0;
  double validation_accuracy = -1;  ///< the highest on the validation part
  int64_t validation_epoch = 0;     ///< that has it, counted from 1; 0: no validation part
  double train_seconds = 0;
  double eval_seconds = 0;
};

std::string to_text(const RunProgress& progress);
/// Throws where the text was not written by to_text.
RunProgress progress_from_text(const std::string& text);

}  // namespace projnce
