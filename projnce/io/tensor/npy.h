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

/// Numpy's array files, the plain part of them: numbers, rank 4 at most, in C order or, matrices,
/// in Fortran order. `docs/file_formats.md` describes what is written.
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

/// "float32"
std::string npy_type_name(NpyType type);

/// What a file holds; `data` points into the bytes that were parsed, maybe unaligned.
struct NpyView {
  NpyType type = NpyType::kFloat32;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
  bool by_columns = false;  ///< a matrix whose columns follow each other, not its rows
  bool big_endian = false;
};

/// Checks everything before it returns; `origin` names the file in messages. Throws for other
/// types (pickled objects among them), Fortran order of more than two dimensions, and a size that
/// is not the shape's. REQUIRES: the bytes stay alive as long as the view.
NpyView parse_npy(std::span<const std::byte> bytes, const std::string& origin);

/// A file's array with the bytes that it lies in.
struct NpyFile {
  FileBytes bytes;
  NpyView array;
};
NpyFile read_npy(const std::filesystem::path& path);

/// A stored value of kFloat16: every one of them is a float too.
struct Half {
  uint16_t bits;
  operator float() const;
};

/// Calls `visit` with the place, row by row, and value of each element. REQUIRES: T is what the
/// array's type stands for.
template <class T, class Visit>
void for_each_value(const NpyView& array, const Visit& visit) {
  for (size_t i = 0; i < array.data.size() / sizeof(T); ++i) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), array.data.data() + i * sizeof(T), sizeof(T));
    if (array.big_endian) std::reverse(bytes.begin(), bytes.end());
    const size_t place =
        array.by_columns ? i % array.shape[0] * array.shape[1] + i / array.shape[0] : i;
    visit(place, std::bit_cast<T>(bytes));
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
