#include "tests/support/onnx_runner.h"

#include <torch/types.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

namespace projnce::testing {

namespace {

using torch::Tensor;

/// Fields of a message in protobuf wire format, by number: integers and bytes.
struct Fields {
  std::map<uint64_t, std::vector<uint64_t>> numbers;
  std::map<uint64_t, std::vector<std::string>> bytes;

  uint64_t number(uint64_t field) const { return numbers.count(field) ? numbers.at(field)[0] : 0; }
  std::string text(uint64_t field) const { return bytes.count(field) ? bytes.at(field)[0] : ""; }
  std::vector<std::string> all(uint64_t field) const {
    return bytes.count(field) ? bytes.at(field) : std::vector<std::string>{};
  }
};

uint64_t take_varint(const std::string& bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.at(at++));
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80U) return value;
  }
}

Fields read_fields(const std::string& bytes) {
  Fields fields;
  for (size_t at = 0; at < bytes.size();) {
    const auto key = take_varint(bytes, at);
    if ((key & 7U) == 0) {
      fields.numbers[key >> 3].push_back(take_varint(bytes, at));
    } else if ((key & 7U) == 5) {
      uint32_t value = 0;
      std::memcpy(&value, bytes.substr(at, 4).data(), 4);
      fields.numbers[key >> 3].push_back(value);
      at += 4;
    } else {
      TORCH_CHECK((key & 7U) == 2, "wire type ", key & 7U, " is not supported");
      const auto size = take_varint(bytes, at);
      TORCH_CHECK(at + size <= bytes.size(), "a field exceeds its message");
      fields.bytes[key >> 3].push_back(bytes.substr(at, size));
      at += size;
    }
  }
  return fields;
}

ReadNode read_node(const Fields& fields) {
  ReadNode node{fields.text(4), fields.all(1), fields.text(2), {}, {}};
  for (const auto& bytes : fields.all(5)) {
    const auto attribute = read_fields(bytes);
    const auto name = attribute.text(1);
    if (attribute.number(20) == 1) {
      const auto bits = static_cast<uint32_t>(attribute.number(2));
      std::memcpy(&node.real[name], &bits, sizeof(bits));
    } else {
      const auto& values = attribute.numbers.at(attribute.number(20) == 2 ? 3 : 8);
      node.whole[name].assign(values.begin(), values.end());
    }
  }
  return node;
}

Tensor read_tensor(const Fields& fields) {
  const std::map<uint64_t, torch::ScalarType> types = {
      {1, torch::kFloat32}, {7, torch::kInt64}, {11, torch::kFloat64}};
  std::vector<int64_t> sides;
  if (fields.numbers.count(1))
    sides.assign(fields.numbers.at(1).begin(), fields.numbers.at(1).end());
  auto tensor = torch::empty(sides, types.at(fields.number(2)));
  TORCH_CHECK(fields.text(9).size() == tensor.nbytes(), fields.text(8), " has ",
              fields.text(9).size(), " bytes");
  std::memcpy(tensor.data_ptr(), fields.text(9).data(), tensor.nbytes());
  return tensor;
}

std::string read_port(const Fields& fields) {
  const auto tensor = read_fields(read_fields(fields.text(2)).text(1));
  std::string text = tensor.number(1) == 1 ? "float [" : "int64 [";
  for (const auto& bytes : read_fields(tensor.text(2)).all(1)) {
    const auto side = read_fields(bytes);
    if (text.back() != '[') text += ", ";
    text += side.text(2).empty() ? std::to_string(side.number(1)) : side.text(2);
  }
  return text + "]";
}

using Inputs = std::vector<Tensor>;
using Operator = std::function<Tensor(const ReadNode& node, const Inputs& in)>;

/// STFT by definition: [N, L, 1] -> [N, T, size / 2 + 1, 2].
Tensor stft(const ReadNode& /*node*/, const Inputs& in) {
  const auto size = in[3].item<int64_t>();
  const auto frames = in[0].squeeze(2).unfold(1, size, in[1].item<int64_t>()) * in[2];
  const auto angles = torch::outer(torch::arange(size), torch::arange(size / 2 + 1))
                          .remainder(size)
                          .to(torch::kFloat64) *
                      (2 * M_PI / static_cast<double>(size));
  return torch::stack({frames.matmul(angles.cos()), -frames.matmul(angles.sin())}, -1);
}

Tensor convolve(const ReadNode& node, const Inputs& in) {
  const auto& pads = node.whole.at("pads");
  return torch::conv2d(in[0], in[1], {}, node.whole.at("strides"), {pads[0], pads[1]});
}

Tensor max_pool(const ReadNode& node, const Inputs& in) {
  const auto& pads = node.whole.at("pads");
  return torch::max_pool2d(in[0], node.whole.at("kernel_shape"), node.whole.at("strides"),
                           {pads[0], pads[1]});
}

Tensor batch_norm(const ReadNode& node, const Inputs& in) {
  return torch::batch_norm(in[0], in[1], in[2], in[3], in[4], /*training=*/false, 0,
                           node.real.at("epsilon"), false);
}

Tensor gemm(const ReadNode& node, const Inputs& in) {
  TORCH_CHECK(node.whole.at("transB").at(0) == 1, "Gemm without transB");
  const auto product = in[0].mm(in[1].t());
  return in.size() > 2 ? product + in[2] : product;
}

const std::map<std::string, Operator>& arithmetic() {
  static const std::map<std::string, Operator> operators = {
      {"Add", [](const auto&, const auto& in) { return in[0] + in[1]; }},
      {"Mul", [](const auto&, const auto& in) { return in[0] * in[1]; }},
      {"Div", [](const auto&, const auto& in) { return in[0] / in[1]; }},
      {"Log", [](const auto&, const auto& in) { return in[0].log(); }},
      {"Relu", [](const auto&, const auto& in) { return in[0].relu(); }},
      {"MatMul", [](const auto&, const auto& in) { return in[0].matmul(in[1]); }},
      {"Identity", [](const auto&, const auto& in) { return in[0]; }},
      {"Clip", [](const auto&, const auto& in) { return torch::maximum(in[0], in[1]); }},
      {"Softmax", [](const auto&, const auto& in) { return in[0].softmax(1); }},
      {"ArgMax", [](const auto&, const auto& in) { return in[0].argmax(1); }},
      {"ReduceL2", [](const auto&, const auto& in) { return in[0].norm(2, 1, true); }},
      {"ReduceSum",
       [](const auto&, const auto& in) { return in[0].sum(in[1].template item<int64_t>()); }},
      {"Cast",
       [](const auto& node, const auto& in) {
         return in[0].to(node.whole.at("to")[0] == 11 ? torch::kFloat64 : torch::kFloat32);
       }},
  };
  return operators;
}

const std::map<std::string, Operator>& layers() {
  static const std::map<std::string, Operator> operators = {
      {"STFT", stft},
      {"Conv", convolve},
      {"MaxPool", max_pool},
      {"BatchNormalization", batch_norm},
      {"Gemm", gemm},
      {"GlobalAveragePool",
       [](const auto&, const auto& in) {
         return in[0].mean({2, 3}, /*keepdim=*/true);
       }},
      {"Flatten", [](const auto&, const auto& in) { return in[0].flatten(1); }},
      {"Reshape",
       [](const auto&, const auto& in) {
         const auto* sides = in[1].template data_ptr<int64_t>();
         return in[0].reshape(std::vector<int64_t>(sides, sides + in[1].numel()));
       }},
      {"Gather", [](const auto&, const auto& in) { return in[0].index_select(1, in[1]); }},
      {"Concat", [](const auto&, const auto& in) { return torch::cat(in, 1); }},
      {"Unsqueeze",
       [](const auto&, const auto& in) { return in[0].unsqueeze(in[1].template item<int64_t>()); }},
      {"Transpose",
       [](const auto& node, const auto& in) { return in[0].permute(node.whole.at("perm")); }},
  };
  return operators;
}

const Operator& find_operator(const std::string& type) {
  const auto simple = arithmetic().find(type);
  return simple != arithmetic().end() ? simple->second : layers().at(type);
}

}  // namespace

OnnxFile read_onnx(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto model = read_fields(bytes);
  const auto graph = read_fields(model.text(7));
  OnnxFile file;
  file.ir_version = static_cast<int64_t>(model.number(1));
  file.opset = static_cast<int64_t>(read_fields(model.text(8)).number(2));
  for (const auto& entry : model.all(14)) {
    const auto fields = read_fields(entry);
    file.metadata[fields.text(1)] = fields.text(2);
  }
  for (const auto& node : graph.all(1)) file.nodes.push_back(read_node(read_fields(node)));
  for (const auto& constant : graph.all(5)) {
    const auto fields = read_fields(constant);
    TORCH_CHECK(file.constants.emplace(fields.text(8), read_tensor(fields)).second, fields.text(8),
                " is defined twice");
  }
  for (const auto& port : graph.all(11)) {
    file.inputs[read_fields(port).text(1)] = read_port(read_fields(port));
  }
  for (const auto& port : graph.all(12)) {
    file.outputs[read_fields(port).text(1)] = read_port(read_fields(port));
  }
  return file;
}

std::map<std::string, Tensor> run_onnx(const OnnxFile& file, const std::string& input,
                                       const Tensor& value) {
  auto values = file.constants;
  values[input] = value;
  for (const auto& node : file.nodes) {
    Inputs in;
    for (const auto& name : node.inputs) in.push_back(values.at(name));
    const auto result = find_operator(node.type)(node, in);
    TORCH_CHECK(values.emplace(node.output, result).second, node.output, " is defined twice");
  }
  return values;
}

}  // namespace projnce::testing
