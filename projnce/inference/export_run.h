#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace projnce::inference {

struct ExportRequest {
  std::filesystem::path run;
  std::filesystem::path onnx;         ///< the graph; empty: none is written
  std::filesystem::path safetensors;  ///< the encoder's weights; empty: none are written
  bool classes = false;               ///< the graph names classes as well
};

/// Writes the model of a finished run for other programs; returns what the files hold.
nlohmann::ordered_json export_run(const ExportRequest& request);

}  // namespace projnce::inference
