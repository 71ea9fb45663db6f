#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace projnce {

/// Numpy's array files, the plain part of them: little-endian numbers in C order, rank 4 at most.
/// `docs/file_formats.md` describes what is written.
enum class NpyType {
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
};

/// The same with bytes of its own.
struct NpyArray {
  NpyType type = NpyType::kFloat32;
  std::vector<uint64_t> shape;
  std::vector<std::byte> data;
};

/// Checks everything before it returns; `origin` names the file in messages. Throws for other
/// types (pickled objects among them), Fortran order, and a size that is not the shape's.
/// REQUIRES: the bytes stay alive as long as the view.
NpyView parse_npy(std::span<const std::byte> bytes, const std::string& origin);
NpyArray read_npy(const std::filesystem::path& path);

/// Writes atomically. REQUIRES: `shape` has one or two sizes whose product is the number of values.
void write_npy(const std::filesystem::path& path, std::span<const float> values,
               const std::vector<uint64_t>& shape);
void write_npy(const std::filesystem::path& path, std::span<const double> values,
               const std::vector<uint64_t>& shape);
void write_npy(const std::filesystem::path& path, std::span<const int64_t> values,
               const std::vector<uint64_t>& shape);

}  // namespace projnce
