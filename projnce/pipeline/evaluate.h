#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce {

struct EvaluateRequest {
  std::filesystem::path run;
  std::filesystem::path data;  ///< empty: the run's own data
  std::string protocol = "zero-shot";
  OpenContext context;  ///< where datasets are looked for
};

/// Accuracy of a finished run on the test part of its own or of other data.
nlohmann::ordered_json evaluate_run(const EvaluateRequest& request, const Logger& logger);

}  // namespace projnce
