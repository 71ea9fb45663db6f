#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "projnce/onnx/onnx_graph.h"

namespace projnce::inference {

struct ExportRequest {
  std::filesystem::path run;
  std::filesystem::path onnx;         ///< ONNX file; empty: not written
  std::filesystem::path safetensors;  ///< encoder weights; empty: not written
  bool classes = false;               ///< include class scores in the ONNX graph
};

/// A written ONNX model.
struct ExportedModel {
  std::filesystem::path file;
  std::vector<onnx::OnnxPort> inputs;   ///< shapes without the batch dimension
  std::vector<onnx::OnnxPort> outputs;  ///< shapes without the batch dimension
};

/// A written safetensors file.
struct ExportedWeights {
  std::filesystem::path file;
  int64_t tensors = 0;  ///< number of tensors
  int64_t numbers = 0;  ///< number of values in all tensors
};

/// Files written by export_run; those that were not requested are empty.
struct ExportResult {
  std::optional<ExportedModel> onnx;
  std::optional<ExportedWeights> safetensors;
};

/// Exports the model of a finished run.
ExportResult export_run(const ExportRequest& request);

}  // namespace projnce::inference
