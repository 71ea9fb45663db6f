#include "projnce/io/tensor/idx.h"

#include "projnce/core/counted.h"
#include "projnce/core/error.h"

namespace projnce::io {

namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr size_t kMaxDimensions = 8;

int64_t big_endian(std::span<const uint8_t> bytes) {
  int64_t number = 0;
  for (const uint8_t byte : bytes) number = number << 8 | byte;
  return number;
}

}  // namespace

IdxArray parse_idx(std::span<const uint8_t> bytes, const std::string& name) {
  const Hint download_again{"the copy is corrupt or incomplete; download the file again"};
  if (bytes.size() < 4) {
    fail(download_again, name, " has ", counted(bytes.size(), "byte"),
         ", expected an IDX header of at least 4");
  }
  if (bytes[0] != 0 || bytes[1] != 0) {
    fail(Hint{"an IDX file starts with two zero bytes"}, name,
         " is not an IDX file: it starts with ", int{bytes[0]}, " ", int{bytes[1]},
         ", expected 0 0");
  }
  if (bytes[2] != kUnsignedByte) {
    fail(name, " contains IDX values of type ", int{bytes[2]}, ", expected ", int{kUnsignedByte},
         " (unsigned bytes)");
  }
  const size_t rank = bytes[3];
  if (rank == 0 || rank > kMaxDimensions) {
    fail(name, " has ", counted(rank, "dimension"), ", expected 1 to ", kMaxDimensions);
  }
  const size_t header = 4 + 4 * rank;
  if (bytes.size() < header) {
    fail(download_again, name, " has ", counted(bytes.size(), "byte"),
         ", expected an IDX header of ", header);
  }

  IdxArray array;
  array.values = bytes.subspan(header);
  int64_t expected = 1;
  for (size_t d = 0; d < rank; ++d) {
    array.dims.push_back(big_endian(bytes.subspan(4 + 4 * d, 4)));
    if (__builtin_mul_overflow(expected, array.dims.back(), &expected)) {
      fail(download_again, name, " declares more values than fit in any file");
    }
  }
  if (array.values.size() != static_cast<uint64_t>(expected)) {
    fail(download_again, name, " has ", counted(array.values.size(), "byte"),
         " of values, expected ", expected);
  }
  return array;
}

}  // namespace projnce::io
