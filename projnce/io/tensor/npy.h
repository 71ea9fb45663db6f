#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

/// NumPy array files (.npy) with numeric types, at most 4 dimensions, in C order or (matrices only)
/// Fortran order. `docs/file_formats.md` describes the written subset.
enum class NpyType {
  kFloat16,
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
};

/// Returns the NumPy name of a type, such as "float32".
std::string npy_type_name(NpyType type);

/// A parsed array; `data` points into the parsed bytes and may be unaligned.
struct NpyView {
  NpyType type = NpyType::kFloat32;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
  bool fortran_order = false;  ///< Fortran order
  bool big_endian = false;
};

/// Validates the whole file; `origin` names it in messages. Throws for other types (including
/// pickled objects), Fortran order with more than two dimensions, and a size that does not match
/// the shape. REQUIRES: the bytes outlive the view.
NpyView parse_npy(std::span<const std::byte> bytes, const std::string& origin);

/// An array with the bytes that it points into.
struct NpyFile {
  FileBytes bytes;
  NpyView array;
};
NpyFile read_npy(const std::filesystem::path& path);

/// A float16 value; converts to float exactly.
struct Half {
  uint16_t bits;
  operator float() const;
};

/// Calls `visit(index, value)` for each element; `index` is in C order. REQUIRES: T matches the
/// array's type.
template <class T, class Visit>
void for_each_value(const NpyView& array, const Visit& visit) {
  for (size_t i = 0; i < array.data.size() / sizeof(T); ++i) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), array.data.data() + i * sizeof(T), sizeof(T));
    if (array.big_endian) std::reverse(bytes.begin(), bytes.end());
    const size_t index =
        array.fortran_order ? i % array.shape[0] * array.shape[1] + i / array.shape[0] : i;
    visit(index, std::bit_cast<T>(bytes));
  }
}

/// Writes atomically. REQUIRES: `shape` has one or two sizes whose product is the number of values.
void write_npy(const std::filesystem::path& path, std::span<const float> values,
               const std::vector<uint64_t>& shape);
void write_npy(const std::filesystem::path& path, std::span<const double> values,
               const std::vector<uint64_t>& shape);
void write_npy(const std::filesystem::path& path, std::span<const int64_t> values,
               const std::vector<uint64_t>& shape);

}  // namespace projnce::io
