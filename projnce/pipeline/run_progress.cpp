#include "projnce/pipeline/run_progress.h"

#include <nlohmann/json.hpp>

#include "projnce/core/error.h"

namespace projnce {

std::string to_text(const RunProgress& p) {
  return nlohmann::ordered_json{{"metrics_bytes", p.metrics_bytes},
                                {"last_accuracy", p.last_accuracy},
                                {"best_accuracy", p.best_accuracy},
                                {"best_epoch", p.best_epoch},
                                {"last_top5", p.last_top5},
                                {"validation_accuracy", p.validation_accuracy},
                                {"validation_epoch", p.validation_epoch},
                                {"train_seconds", p.train_seconds},
                                {"eval_seconds", p.eval_seconds}}
      .dump();
}

RunProgress progress_from_text(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {.metrics_bytes = json.at("metrics_bytes"),
            .last_accuracy = json.at("last_accuracy"),
            .best_accuracy = json.at("best_accuracy"),
            .best_epoch = json.at("best_epoch"),
            // Checkpoints of older versions do not have these.
            .last_top5 = json.value("last_top5", 0.0),
            .validation_accuracy = json.value("validation_accuracy", -1.0),
            .validation_epoch = json.value("validation_epoch", int64_t{0}),
            .train_seconds = json.at("train_seconds"),
            .eval_seconds = json.at("eval_seconds")};
  } catch (const nlohmann::json::exception& error) {
    fail("the checkpoint's run state cannot be read: ", error.what());
  }
}

}  // namespace projnce
