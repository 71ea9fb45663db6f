#include "projnce/checkpoint/tensor_file.h"

#include <array>
#include <cstring>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/regular_file.h"

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

}  // namespace projnce::checkpoint
