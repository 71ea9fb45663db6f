#include "projnce/pipeline/run_progress.h"

#include <nlohmann/json.hpp>

#include "projnce/core/error.h"

namespace projnce {

std::string to_text(const RunProgress& p) {
  return nlohmann::ordered_json{
      {"metrics_bytes", p.metrics_bytes}, {"last_accuracy", p.last_accuracy},
      {"best_accuracy", p.best_accuracy}, {"best_epoch", p.best_epoch},
      {"train_seconds", p.train_seconds}, {"eval_seconds", p.eval_seconds}}
      .dump();
}

RunProgress progress_from_text(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {.metrics_bytes = json.at("metrics_bytes"),
            .last_accuracy = json.at("last_accuracy"),
            .best_accuracy = json.at("best_accuracy"),
            .best_epoch = json.at("best_epoch"),
            .train_seconds = json.at("train_seconds"),
            .eval_seconds = json.at("eval_seconds")};
  } catch (const nlohmann::json::exception& error) {
    fail("the checkpoint's run state cannot be read: ", error.what());
  }
}

}  // namespace projnce
