#include "projnce/pipeline/array_files.h"

#include <cstring>

#include "projnce/core/error.h"
#include "projnce/io/npy.h"

namespace projnce {

torch::Tensor read_matrix(const std::filesystem::path& path) {
  const auto array = read_npy(path);
  if (array.shape.size() != 2 ||
      (array.type != NpyType::kFloat32 && array.type != NpyType::kFloat64)) {
    fail(path.string(), " holds ", array.shape.size(), "-dimensional ", npy_type_name(array.type),
         ", expected a matrix of float32 or float64");
  }
  const auto type = array.type == NpyType::kFloat32 ? torch::kFloat32 : torch::kFloat64;
  auto matrix = torch::empty(
      {static_cast<int64_t>(array.shape[0]), static_cast<int64_t>(array.shape[1])}, type);
  std::memcpy(matrix.data_ptr(), array.data.data(), array.data.size());
  return matrix.to(torch::kFloat32);
}

void write_array(const std::filesystem::path& path, const torch::Tensor& tensor) {
  const auto values = tensor.contiguous();
  const auto count = static_cast<size_t>(values.numel());
  const std::vector<uint64_t> shape(values.sizes().begin(), values.sizes().end());
  if (values.scalar_type() == torch::kLong) {
    write_npy(path, std::span<const int64_t>(values.data_ptr<int64_t>(), count), shape);
  } else {
    write_npy(path, std::span<const float>(values.data_ptr<float>(), count), shape);
  }
}

}  // namespace projnce
