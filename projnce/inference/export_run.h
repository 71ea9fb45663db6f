#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace projnce::inference {

struct ExportRequest {
  std::filesystem::path run;
  std::filesystem::path onnx;         ///< ONNX file; empty: not written
  std::filesystem::path safetensors;  ///< encoder weights; empty: not written
  bool classes = false;               ///< include class scores in the ONNX graph
};

/// Exports the model of a finished run. Returns a description of the written files.
nlohmann::ordered_json export_run(const ExportRequest& request);

}  // namespace projnce::inference
