#include "projnce/dataset/number_array.h"

#include <cmath>
#include <limits>
#include <utility>

#include "projnce/core/error.h"

namespace projnce {

namespace {

template <class T>
std::vector<float> floats_from(const NpyView& array, const std::string& origin) {
  const size_t rows = array.shape.empty() ? 1 : std::max<size_t>(array.shape[0], 1);
  const size_t in_row = std::max<size_t>(array.data.size() / sizeof(T) / rows, 1);
  std::vector<float> values(array.data.size() / sizeof(T));
  for_each_value<T>(array, [&](size_t i, T value) {
    values[i] = static_cast<float>(value);
    if (!std::isfinite(values[i])) {
      fail(origin, " holds ", value, " in row ", i / in_row, ", expected finite float32 numbers");
    }
  });
  return values;
}

template <class T>
std::vector<int64_t> integers_from(const NpyView& array, const std::string& origin) {
  std::vector<int64_t> values(array.data.size() / sizeof(T));
  for_each_value<T>(array, [&](size_t i, T value) {
    if (std::cmp_less(value, 0) || std::cmp_greater(value, std::numeric_limits<int64_t>::max())) {
      fail(origin, " holds ", +value, " in row ", i, ", expected 0 or more");
    }
    values[i] = static_cast<int64_t>(value);
  });
  return values;
}

NpyType array_type(StoredType type, const std::string& origin) {
  switch (type) {
    case StoredType::kF16:
      return NpyType::kFloat16;
    case StoredType::kF32:
      return NpyType::kFloat32;
    case StoredType::kF64:
      return NpyType::kFloat64;
    case StoredType::kI8:
      return NpyType::kInt8;
    case StoredType::kI16:
      return NpyType::kInt16;
    case StoredType::kI32:
      return NpyType::kInt32;
    case StoredType::kI64:
      return NpyType::kInt64;
    case StoredType::kU8:
      return NpyType::kUint8;
    default:
      fail(origin, " has the type ", stored_type_name(type),
           ", expected F16, F32 or F64, or whole numbers");
  }
}

}  // namespace

NpyView as_array(const SafetensorsView& file, const StoredTensor& tensor,
                 const std::string& origin) {
  return {array_type(tensor.type, origin), tensor.shape, file.bytes(tensor)};
}

std::vector<float> finite_floats(const NpyView& array, const std::string& origin) {
  if (array.type == NpyType::kFloat16) return floats_from<Half>(array, origin);
  if (array.type == NpyType::kFloat32) return floats_from<float>(array, origin);
  if (array.type == NpyType::kFloat64) return floats_from<double>(array, origin);
  fail(origin, " holds ", npy_type_name(array.type),
       " numbers, expected float16, float32 or float64");
}

std::vector<int64_t> whole_numbers(const NpyView& array, const std::string& origin) {
  switch (array.type) {
    case NpyType::kInt8:
      return integers_from<int8_t>(array, origin);
    case NpyType::kInt16:
      return integers_from<int16_t>(array, origin);
    case NpyType::kInt32:
      return integers_from<int32_t>(array, origin);
    case NpyType::kInt64:
      return integers_from<int64_t>(array, origin);
    case NpyType::kUint8:
      return integers_from<uint8_t>(array, origin);
    case NpyType::kUint16:
      return integers_from<uint16_t>(array, origin);
    case NpyType::kUint32:
      return integers_from<uint32_t>(array, origin);
    case NpyType::kUint64:
      return integers_from<uint64_t>(array, origin);
    default:
      fail(origin, " holds ", npy_type_name(array.type), " numbers, expected whole numbers");
  }
}

}  // namespace projnce
