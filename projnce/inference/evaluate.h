#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/eval/retrieval.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/protocol_result.h"

namespace projnce::inference {

/// Retrieval and clustering metrics.
struct RetrievalReport {
  eval::Retrieval retrieval = {};
  double nmi = 0;           ///< normalized mutual information of k-means clusters and classes
  std::string reason = {};  ///< if not empty, why there are no metrics
};

/// Measures retrieval and clustering of rows [N, D] with labels [N]. Gives a reason instead of
/// metrics if they would say nothing about the embeddings: a single class, no class with two rows,
/// or equal rows, whose ranking would be their order.
RetrievalReport measure_retrieval_report(const torch::Tensor& rows, const torch::Tensor& labels);

/// Evaluation protocols; see choose_protocols and evaluate_protocol.
struct ProtocolRequest {
  std::vector<std::string> protocols = {"auto"};
  eval::KnnOptions knn = {.neighbors = 0};
};

struct EvaluateRequest {
  std::filesystem::path run;
  std::filesystem::path
      data;  ///< current path of its data, or other data; empty: as recorded in the run
  ProtocolRequest protocol;
  dataset::OpenContext context;  ///< dataset search paths
};

/// Differences between the data of an evaluation and the data of the training.
struct EvaluatedData {
  std::filesystem::path root;
  int64_t gone = 0;   ///< number of missing samples
  int64_t added = 0;  ///< number of new samples
  int64_t relabeled = 0;
};

/// Result of an evaluation on test samples.
struct EvalResult {
  int64_t samples = 0;  ///< number of test samples
  std::vector<std::string> class_names = {};
  std::vector<ProtocolResult> results = {};  ///< of the requested protocols, in order
  RetrievalReport retrieval = {};            ///< within the test samples
  std::optional<EvaluatedData> data = {};    ///< only for runs
  /// Sentences about inputs that make the results misleading.
  std::vector<std::string> remarks = {};
};

/// Evaluates a finished run on the test split of its own or of other data.
EvalResult evaluate_run(const EvaluateRequest& request, const Logger& logger);

struct EvaluateArraysRequest {
  TableRequest table = {};  ///< instead of all files
  std::filesystem::path embeddings;
  std::filesystem::path labels;
  /// Both empty: a random fifth of each class is held out, with a fixed seed.
  std::filesystem::path test_embeddings;
  std::filesystem::path test_labels;
  ProtocolRequest protocol = {};
};

/// Evaluates embeddings from .npy files: `embeddings` are the reference set (gallery),
/// `test_embeddings` the test set (queries). The split column of a table, if given, contains
/// "test" and any other names for the reference set.
EvalResult evaluate_arrays(const EvaluateArraysRequest& request, const Logger& logger);

}  // namespace projnce::inference
