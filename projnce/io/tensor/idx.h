#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace projnce::io {

/// An array of bytes as the MNIST family stores it: 00 00 08, the number of dimensions, each
/// dimension as four bytes (the highest first), then the values, the last dimension fastest.
struct IdxArray {
  std::vector<int64_t> dims;
  std::span<const uint8_t> values;  ///< inside the bytes that were parsed
};

/// `name` is the file's, for error messages. Throws where `bytes` is no IDX array of unsigned bytes
/// or holds more or fewer values than its dimensions say.
IdxArray parse_idx(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace projnce::io
