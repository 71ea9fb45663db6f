#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace projnce {

/// The three fields of a `.npy` header, as they are written there.
struct NpyHeader {
  std::string type;  // "<f4"
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

/// Reads the Python dictionary that a `.npy` file begins with: exactly the three fields, each once,
/// then spaces and a line end. Anything else throws; nothing is evaluated.
NpyHeader parse_npy_header(std::string_view text, const std::string& origin);

/// The same, written as Numpy writes it.
std::string format_npy_header(const NpyHeader& header);

}  // namespace projnce
