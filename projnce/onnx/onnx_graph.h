#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "projnce/io/protobuf.h"

namespace projnce::onnx {

/// Element types, with the values of TensorProto.DataType.
enum class OnnxType { kFloat = 1, kInt64 = 7, kDouble = 11 };

/// Attribute of a node.
struct OnnxAttribute {
  std::string name;
  std::variant<int64_t, float, std::vector<int64_t>> value;
};

struct OnnxNode {
  std::string type;                 ///< operator, such as "Conv"
  std::vector<std::string> inputs;  ///< names of values; empty: optional input omitted
  std::string output;
  std::vector<OnnxAttribute> attributes = {};
};

/// Constant tensor (initializer); bytes are in C order, little-endian.
struct OnnxConstant {
  std::string name;
  OnnxType type = OnnxType::kFloat;
  std::vector<int64_t> shape;  ///< empty: scalar
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< owner of the bytes
};

/// Input or output of the graph. `shape` is that of one sample, without the batch dimension.
struct OnnxPort {
  std::string name;
  OnnxType type = OnnxType::kFloat;
  std::vector<int64_t> shape;
};

/// ONNX graph. Nodes must be added in topological order; the caller chooses unique value names.
class OnnxGraph {
 public:
  void add_input(OnnxPort port) { inputs_.push_back(std::move(port)); }
  void add_output(OnnxPort port) { outputs_.push_back(std::move(port)); }

  /// Returns the name of the output.
  std::string add_node(OnnxNode node);

  /// Each returns the name of the constant. add_constant references the bytes, the others copy
  /// them.
  std::string add_constant(OnnxConstant constant);
  std::string add_floats(const std::string& name, std::vector<int64_t> shape,
                         std::vector<float> values);
  std::string add_doubles(const std::string& name, std::vector<int64_t> shape,
                          std::vector<double> values);
  std::string add_ints(const std::string& name, std::vector<int64_t> shape,
                       std::vector<int64_t> values);

  /// Raises the opset version of the graph to at least `version`.
  void require_opset(int64_t version);

  void set_metadata(std::map<std::string, std::string> metadata) {
    metadata_ = std::move(metadata);
  }

  const std::vector<OnnxPort>& inputs() const { return inputs_; }
  const std::vector<OnnxPort>& outputs() const { return outputs_; }

  /// Writes the file atomically. Throws if it would exceed 2 GiB, the limit of a Protocol Buffers
  /// message.
  void write(const std::filesystem::path& path) const;

 private:
  io::ProtoMessage model_fields() const;
  io::ProtoMessage graph_fields() const;

  int64_t opset_ = 13;
  std::vector<OnnxNode> nodes_;
  std::vector<OnnxConstant> constants_;
  std::vector<OnnxPort> inputs_;
  std::vector<OnnxPort> outputs_;
  std::map<std::string, std::string> metadata_;
};

/// Value in a graph: its name and the shape of one sample, such as C, H, W.
struct GraphValue {
  std::string name;
  std::vector<int64_t> shape;
};

}  // namespace projnce::onnx
