#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace projnce::io {

/// A byte array in the IDX format of the MNIST family: 00 00 08, the number of dimensions, each
/// dimension as a big-endian 32-bit integer, then the values in C order.
struct IdxArray {
  std::vector<int64_t> dims;
  std::span<const uint8_t> values;  ///< view into the parsed bytes
};

/// `name` is the file name in error messages. Throws if `bytes` is not an IDX array of unsigned
/// bytes, or if the number of values does not match its dimensions.
IdxArray parse_idx(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace projnce::io
