#include "projnce/onnx/onnx_graph.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "projnce/core/error.h"
#include "projnce/core/version.h"
#include "projnce/io/filesystem/atomic_file.h"

namespace projnce::onnx {

static_assert(std::endian::native == std::endian::little,
              "numbers are written in native byte order");

namespace {

// Field numbers of onnx.proto, by message.
namespace model_field {
constexpr uint32_t kIrVersion = 1, kProducer = 2, kProducerVersion = 3, kGraph = 7, kOpset = 8,
                   kMetadata = 14;
}
namespace graph_field {
constexpr uint32_t kNode = 1, kName = 2, kConstant = 5, kInput = 11, kOutput = 12;
}
namespace node_field {
constexpr uint32_t kInput = 1, kOutput = 2, kName = 3, kType = 4, kAttribute = 5;
}
namespace attribute_field {
constexpr uint32_t kName = 1, kFloat = 2, kInt = 3, kInts = 8, kType = 20;
}
namespace tensor_field {
constexpr uint32_t kDims = 1, kType = 2, kName = 8, kBytes = 9;
}

// IR versions of opsets 13 and 17. Use the lower one if possible, for older readers.
constexpr int64_t kBaseIrVersion = 7, kLaterIrVersion = 8, kLastBaseOpset = 14;

constexpr uint64_t kMaxBytes = std::numeric_limits<int32_t>::max();

io::ProtoMessage attribute_message(const OnnxAttribute& attribute) {
  enum Type { kFloatType = 1, kIntType = 2, kIntsType = 7 };
  namespace field = attribute_field;
  io::ProtoMessage message;
  message.text(field::kName, attribute.name);
  if (const auto* real = std::get_if<float>(&attribute.value)) {
    return message.single(field::kFloat, *real).whole(field::kType, kFloatType);
  }
  if (const auto* whole = std::get_if<int64_t>(&attribute.value)) {
    return message.whole(field::kInt, *whole).whole(field::kType, kIntType);
  }
  for (const auto value : std::get<std::vector<int64_t>>(attribute.value)) {
    message.whole(field::kInts, value);
  }
  return message.whole(field::kType, kIntsType);
}

io::ProtoMessage node_message(const OnnxNode& node) {
  namespace field = node_field;
  io::ProtoMessage message;
  for (const auto& input : node.inputs) message.text(field::kInput, input);
  message.text(field::kOutput, node.output)
      .text(field::kName, node.output)
      .text(field::kType, node.type);
  for (const auto& attribute : node.attributes) {
    message.message(field::kAttribute, attribute_message(attribute));
  }
  return message;
}

/// ValueInfoProto: name and type, with a symbolic batch dimension.
io::ProtoMessage port_message(const OnnxPort& port) {
  io::ProtoMessage shape;
  shape.message(1, io::ProtoMessage().text(2, "batch"));
  for (const auto size : port.shape) shape.message(1, io::ProtoMessage().whole(1, size));
  io::ProtoMessage tensor;
  tensor.whole(1, static_cast<int64_t>(port.type)).message(2, shape);
  return io::ProtoMessage().text(1, port.name).message(2, io::ProtoMessage().message(1, tensor));
}

/// Message of a constant without its bytes, which follow.
io::ProtoMessage constant_header(const OnnxConstant& constant) {
  namespace field = tensor_field;
  io::ProtoMessage message;
  for (const auto size : constant.shape) message.whole(field::kDims, size);
  message.whole(field::kType, static_cast<int64_t>(constant.type))
      .text(field::kName, constant.name)
      .opening(field::kBytes, constant.bytes.size());
  return message;
}

/// Same, preceded by the field header in the graph.
std::string constant_prefix(const OnnxConstant& constant) {
  const auto opening = constant_header(constant).bytes();
  return io::ProtoMessage()
             .opening(graph_field::kConstant, opening.size() + constant.bytes.size())
             .bytes() +
         opening;
}

template <class T>
OnnxConstant owning_constant(const std::string& name, OnnxType type, std::vector<int64_t> shape,
                             std::vector<T> values) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return {name, type, std::move(shape), std::as_bytes(std::span(*owner)), owner};
}

}  // namespace

std::string OnnxGraph::add_node(OnnxNode node) {
  return nodes_.emplace_back(std::move(node)).output;
}

std::string OnnxGraph::add_constant(OnnxConstant constant) {
  return constants_.emplace_back(std::move(constant)).name;
}

std::string OnnxGraph::add_floats(const std::string& name, std::vector<int64_t> shape,
                                  std::vector<float> values) {
  return add_constant(owning_constant(name, OnnxType::kFloat, std::move(shape), std::move(values)));
}

std::string OnnxGraph::add_doubles(const std::string& name, std::vector<int64_t> shape,
                                   std::vector<double> values) {
  return add_constant(
      owning_constant(name, OnnxType::kDouble, std::move(shape), std::move(values)));
}

std::string OnnxGraph::add_ints(const std::string& name, std::vector<int64_t> shape,
                                std::vector<int64_t> values) {
  return add_constant(owning_constant(name, OnnxType::kInt64, std::move(shape), std::move(values)));
}

void OnnxGraph::require_opset(int64_t version) {
  opset_ = std::max(opset_, version);
}

io::ProtoMessage OnnxGraph::model_fields() const {
  namespace field = model_field;
  io::ProtoMessage message;
  message.whole(field::kIrVersion, opset_ > kLastBaseOpset ? kLaterIrVersion : kBaseIrVersion)
      .text(field::kProducer, "projnce")
      .text(field::kProducerVersion, kVersion)
      .message(field::kOpset, io::ProtoMessage().text(1, "").whole(2, opset_));
  for (const auto& [key, value] : metadata_) {
    message.message(field::kMetadata, io::ProtoMessage().text(1, key).text(2, value));
  }
  return message;
}

/// Fields of the graph without the constants.
io::ProtoMessage OnnxGraph::graph_fields() const {
  namespace field = graph_field;
  io::ProtoMessage message;
  message.text(field::kName, "projnce");
  for (const auto& node : nodes_) message.message(field::kNode, node_message(node));
  for (const auto& port : inputs_) message.message(field::kInput, port_message(port));
  for (const auto& port : outputs_) message.message(field::kOutput, port_message(port));
  return message;
}

void OnnxGraph::write(const std::filesystem::path& path) const {
  const auto fields = graph_fields().bytes();
  uint64_t graph_bytes = fields.size();
  for (const auto& constant : constants_) {
    graph_bytes += constant_prefix(constant).size() + constant.bytes.size();
  }
  auto start = model_fields();
  start.opening(model_field::kGraph, graph_bytes);
  const uint64_t total = start.bytes().size() + graph_bytes;
  if (total > kMaxBytes) {
    fail(Hint{"use a smaller encoder, or --safetensors, which has no such limit"}, path.string(),
         " would have ", total, " bytes, expected at most ", kMaxBytes,
         ", the size limit of ONNX files");
  }
  io::AtomicFile file(path);
  file.reserve(total);
  const auto write_text = [&](const std::string& text) {
    file.write(std::as_bytes(std::span(text)));
  };
  write_text(start.bytes());
  write_text(fields);
  for (const auto& constant : constants_) {
    write_text(constant_prefix(constant));
    file.write(constant.bytes);
  }
  file.commit();
}

}  // namespace projnce::onnx
