#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/eval/retrieval.h"
#include "projnce/inference/protocol_result.h"

namespace projnce::inference {

/// How well rows find their class among each other, and how well k-means finds the classes.
struct RetrievalReport {
  eval::Retrieval retrieval;
  double nmi = 0;  ///< normalized mutual information of clusters and classes
};

/// Of rows [N, D] with labels [N].
RetrievalReport measure_retrieval_report(const torch::Tensor& rows, const torch::Tensor& labels);

/// queries, recall_at_1 and so on, r_precision, map_at_r, nmi.
nlohmann::ordered_json retrieval_json(const RetrievalReport& report);

/// How to judge; see choose_protocols and judge.
struct ProtocolRequest {
  std::vector<std::string> protocols = {"auto"};
  eval::KnnOptions knn = {.neighbors = 0};
};

struct EvaluateRequest {
  std::filesystem::path run;
  std::filesystem::path data;  ///< where it lies now, or other data; empty: where the run says
  ProtocolRequest protocol;
  dataset::OpenContext context;  ///< where datasets are looked for
};

/// The data that a run was evaluated on, as far as it differs from what the run was trained with.
struct EvaluatedData {
  std::filesystem::path root;
  int64_t gone = 0;  ///< samples
  int64_t added = 0;
  int64_t relabeled = 0;
};

/// What embeddings of test samples are worth.
struct EvalResult {
  int64_t samples = 0;  ///< of the test part
  std::vector<std::string> class_names = {};
  std::vector<ProtocolResult> results =
      {};                                  ///< by the protocols that were asked for, in their order
  RetrievalReport retrieval = {};          ///< among the test samples
  std::optional<EvaluatedData> data = {};  ///< of a run
};

/// Accuracy and retrieval of a finished run on the test part of its own or of other data.
EvalResult evaluate_run(const EvaluateRequest& request, const Logger& logger);

struct EvaluateArraysRequest {
  std::filesystem::path embeddings;
  std::filesystem::path labels;
  /// Both empty: a fifth of each class is held out, by chance but always the same.
  std::filesystem::path test_embeddings;
  std::filesystem::path test_labels;
  ProtocolRequest protocol;
};

/// The same of .npy files that any program wrote: classes are learned from the embeddings and told
/// on the test embeddings.
EvalResult evaluate_arrays(const EvaluateArraysRequest& request);

}  // namespace projnce::inference
