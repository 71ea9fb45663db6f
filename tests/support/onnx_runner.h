#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace projnce::testing {

/// A node of an ONNX file.
struct ReadNode {
  std::string type;
  std::vector<std::string> inputs;
  std::string output;
  std::map<std::string, std::vector<int64_t>> whole;  ///< integer attributes
  std::map<std::string, float> real;
};

/// Contents of an ONNX file.
struct OnnxFile {
  int64_t ir_version = 0;
  int64_t opset = 0;
  std::map<std::string, std::string> metadata;
  std::vector<ReadNode> nodes;
  std::map<std::string, torch::Tensor> constants;
  std::map<std::string, std::string> inputs;  ///< "float [batch, 3, 8, 8]" by name
  std::map<std::string, std::string> outputs;
};

OnnxFile read_onnx(const std::filesystem::path& path);

/// Evaluates the graph with LibTorch, following the ONNX definitions. Returns the values by name.
std::map<std::string, torch::Tensor> run_onnx(const OnnxFile& file, const std::string& input,
                                              const torch::Tensor& value);

}  // namespace projnce::testing
