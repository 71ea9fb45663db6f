#include "projnce/checkpoint/tensor_file.h"

#include <array>
#include <cstring>
#include <unordered_map>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::checkpoint {

namespace {

constexpr auto kFormatKey = "projnce_format";
constexpr auto kFormat = "1";

constexpr std::array<std::pair<io::StoredType, torch::ScalarType>, 10> kScalarTypes = {{
    {io::StoredType::kBool, torch::kBool},
    {io::StoredType::kU8, torch::kUInt8},
    {io::StoredType::kI8, torch::kInt8},
    {io::StoredType::kI16, torch::kInt16},
    {io::StoredType::kI32, torch::kInt32},
    {io::StoredType::kI64, torch::kInt64},
    {io::StoredType::kF16, torch::kFloat16},
    {io::StoredType::kBF16, torch::kBFloat16},
    {io::StoredType::kF32, torch::kFloat32},
    {io::StoredType::kF64, torch::kFloat64},
}};

io::StoredType to_stored(const torch::Tensor& tensor, const std::string& name) {
  for (const auto& [stored, scalar] : kScalarTypes) {
    if (scalar == tensor.scalar_type()) return stored;
  }
  TORCH_CHECK(false, "tensor '", name, "' has type ", tensor.scalar_type(),
              ", which the safetensors format does not support");
}

torch::ScalarType to_scalar(io::StoredType type) {
  for (const auto& [stored, scalar] : kScalarTypes) {
    if (stored == type) return scalar;
  }
  TORCH_CHECK(false, "stored type ", static_cast<int>(type), " has no matching tensor type");
}

torch::Tensor to_tensor(const io::StoredTensor& stored, std::span<const std::byte> bytes) {
  const std::vector<int64_t> shape(stored.shape.begin(), stored.shape.end());
  auto tensor = torch::empty(shape, torch::dtype(to_scalar(stored.type)));
  if (!bytes.empty()) std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

void check_format(std::map<std::string, std::string>& metadata, const std::string& origin) {
  const auto format = metadata.find(kFormatKey);
  if (format == metadata.end()) return;
  if (format->second != kFormat) {
    fail(Hint{"read it with the version of projnce that wrote it, or a later one"}, origin,
         " has format '", format->second, "', expected '", kFormat, "'");
  }
  metadata.erase(format);
}

}  // namespace

void save_tensors(const std::filesystem::path& path, const TensorFile& file,
                  io::Checksum checksum) {
  std::vector<torch::Tensor> contiguous;  // keeps the copies alive until they are written
  std::vector<io::TensorBytes> stored;
  for (const auto& [name, tensor] : file.tensors) {
    TORCH_CHECK(tensor.defined() && tensor.layout() == torch::kStrided, "tensor '", name,
                "' is undefined or not dense, which the safetensors format does not support");
    const auto type = to_stored(tensor, name);
    const auto& copy = contiguous.emplace_back(tensor.detach().cpu().contiguous());
    const auto sizes = copy.sizes();
    stored.push_back({name,
                      type,
                      std::vector<uint64_t>(sizes.begin(), sizes.end()),
                      {static_cast<const std::byte*>(copy.data_ptr()), copy.nbytes()}});
  }
  auto metadata = file.metadata;
  metadata[kFormatKey] = kFormat;
  io::write_safetensors(path, stored, metadata, checksum);
}

TensorFile load_tensors(const std::filesystem::path& path, io::Integrity integrity) {
  const auto bytes = io::read_regular_file(path);
  const auto view = io::parse_safetensors(bytes.span(), integrity, path.string());
  TensorFile file{{}, view.header.metadata, path.string()};
  check_format(file.metadata, file.origin);
  for (const auto& stored : view.header.tensors) {
    file.tensors.emplace_back(stored.name, to_tensor(stored, view.bytes(stored)));
  }
  return file;
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  std::vector<std::string> first;
  for (const auto& name : names) {
    if (first.size() < kShown) first.push_back(io::printable_start(name));
  }
  const auto rest = names.size() - first.size();
  return concat(join(first), rest > 0 ? concat(" and ", rest, " more") : "");
}

void Mismatches::wrong_shape(const std::string& name, const torch::Tensor& found,
                             const torch::Tensor& expected) {
  shape_.push_back(concat(name, " ", found.sizes(), " instead of ", expected.sizes()));
}

void Mismatches::wrong_type(const std::string& name, const torch::Tensor& found,
                            const torch::Tensor& expected) {
  type_.push_back(concat(name, " ", found.scalar_type(), " instead of ", expected.scalar_type()));
}

std::string Mismatches::text() const {
  const std::vector<std::pair<const char*, const std::vector<std::string>&>> kinds = {
      {"missing ", missing_},
      {"unexpected ", unexpected_},
      {"wrong shape ", shape_},
      {"wrong type ", type_}};
  std::vector<std::string> parts;
  for (const auto& [kind, names] : kinds) {
    if (!names.empty()) parts.push_back(kind + first_names(names));
  }
  return join(parts, "; ");
}

/// Skips undefined tensors: a module may register a buffer or bias that it does not use.
NamedTensors named_state(const torch::nn::Module& module, const std::string& prefix) {
  NamedTensors state;
  for (const auto& dictionary : {module.named_parameters(), module.named_buffers()}) {
    for (const auto& item : dictionary) {
      if (item.value().defined()) state.emplace_back(prefix + item.key(), item.value().detach());
    }
  }
  return state;
}

void append(NamedTensors& tensors, const NamedTensors& more) {
  tensors.insert(tensors.end(), more.begin(), more.end());
}

void restore_tensors(const NamedTensors& targets, const TensorFile& file) {
  std::unordered_map<std::string, torch::Tensor> stored(file.tensors.begin(), file.tensors.end());
  std::vector<std::pair<torch::Tensor, torch::Tensor>> copies;  // from, to
  Mismatches mismatches;
  for (const auto& [name, tensor] : targets) {
    const auto found = stored.extract(name);
    if (found.empty()) {
      mismatches.missing(name);
      continue;
    }
    if (found.mapped().sizes() != tensor.sizes()) {
      mismatches.wrong_shape(name, found.mapped(), tensor);
    } else if (found.mapped().scalar_type() != tensor.scalar_type()) {
      mismatches.wrong_type(name, found.mapped(), tensor);
    }
    copies.emplace_back(found.mapped(), tensor);
  }
  for (const auto& [name, tensor] : file.tensors) {
    if (stored.count(name) > 0) mismatches.unexpected(name);
  }
  const auto differences = mismatches.text();
  if (!differences.empty()) fail(file.origin, " does not fit the model: ", differences);

  const torch::NoGradGuard no_grad;
  for (auto& [from, to] : copies) to.copy_(from);
}

}  // namespace projnce::checkpoint
