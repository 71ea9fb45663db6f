#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"
#include "projnce/eval/knn.h"

namespace projnce {

/// How to judge; see choose_protocols and judge.
struct JudgeRequest {
  std::vector<std::string> protocols = {"auto"};
  KnnOptions knn = {.neighbors = 0};
};

struct EvaluateRequest {
  std::filesystem::path run;
  std::filesystem::path data;  ///< where it lies now, or other data; empty: where the run says
  JudgeRequest judge;
  OpenContext context;  ///< where datasets are looked for
};

/// Accuracy and retrieval of a finished run on the test part of its own or of other data.
nlohmann::ordered_json evaluate_run(const EvaluateRequest& request, const Logger& logger);

struct EvaluateArraysRequest {
  std::filesystem::path embeddings;
  std::filesystem::path labels;
  /// Both empty: a fifth of each class is held out, by chance but always the same.
  std::filesystem::path test_embeddings;
  std::filesystem::path test_labels;
  JudgeRequest judge;
};

/// The same of .npy files that any program wrote: classes are learned from the embeddings and told
/// on the test embeddings.
nlohmann::ordered_json evaluate_arrays(const EvaluateArraysRequest& request);

}  // namespace projnce
