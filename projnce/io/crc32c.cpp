#include "projnce/io/crc32c.h"

#include <array>

namespace projnce {

namespace {

constexpr uint32_t kCastagnoli = 0x82F63B78U;  // the polynomial, its bits from low to high

constexpr std::array<uint32_t, 256> make_crc32c_table() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1U ? kCastagnoli : 0);
    table[byte] = rest;
  }
  return table;
}

constexpr auto kCrc32cTable = make_crc32c_table();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t rest = 0xFFFFFFFFU;
  for (const char c : bytes) {
    rest = rest >> 8 ^ kCrc32cTable[(rest ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~rest;
}

}  // namespace projnce
