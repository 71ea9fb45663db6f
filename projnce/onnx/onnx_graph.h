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

/// Element types, numbered as TensorProto.DataType numbers them.
enum class OnnxType { kFloat = 1, kInt64 = 7, kDouble = 11 };

/// A number or a list that a node carries besides its inputs.
struct OnnxAttribute {
  std::string name;
  std::variant<int64_t, float, std::vector<int64_t>> value;
};

struct OnnxNode {
  std::string type;                 ///< "Conv"
  std::vector<std::string> inputs;  ///< names of values; an empty one is left out
  std::string output;
  std::vector<OnnxAttribute> attributes = {};
};

/// A constant of the graph; its bytes are in C order, little-endian.
struct OnnxConstant {
  std::string name;
  OnnxType type = OnnxType::kFloat;
  std::vector<int64_t> sides;  ///< none: a scalar
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keeper;  ///< what the bytes belong to
};

/// What goes in or comes out: `sides` of each sample, of which there may be any number.
struct OnnxPort {
  std::string name;
  OnnxType type = OnnxType::kFloat;
  std::vector<int64_t> sides;
};

/// A computation in the ONNX format, node after node in the order in which they are computed. Names
/// of values are the caller's, each used once.
class OnnxGraph {
 public:
  void add_input(OnnxPort port) { inputs_.push_back(std::move(port)); }
  void add_output(OnnxPort port) { outputs_.push_back(std::move(port)); }

  /// Returns the node's output.
  std::string add_node(OnnxNode node);

  /// Each returns the constant's name. Large ones lend their bytes, small ones are copied.
  std::string add_constant(OnnxConstant constant);
  std::string add_floats(const std::string& name, std::vector<int64_t> sides,
                         std::vector<float> values);
  std::string add_doubles(const std::string& name, std::vector<int64_t> sides,
                          std::vector<double> values);
  std::string add_whole_numbers(const std::string& name, std::vector<int64_t> sides,
                                std::vector<int64_t> values);

  /// An operator needs this version of ONNX's operator set, or a later one.
  void require_opset(int64_t version);

  void set_metadata(std::map<std::string, std::string> metadata) {
    metadata_ = std::move(metadata);
  }

  const std::vector<OnnxPort>& inputs() const { return inputs_; }
  const std::vector<OnnxPort>& outputs() const { return outputs_; }

  /// Writes the file whole or not at all. Throws where it would exceed the 2 GiB that a message of
  /// Protocol Buffers may have.
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

/// A value on its way through a graph: its name and the sides of each sample, such as C, H, W.
struct GraphValue {
  std::string name;
  std::vector<int64_t> sides;
};

}  // namespace projnce::onnx
