#include "projnce/io/base64.h"

#include <algorithm>
#include <string_view>

namespace projnce {

namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<size_t>(bytes.size(), 3))) {
    const size_t count = std::min<size_t>(bytes.size(), 3);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? bytes[i] : 0U);
    for (size_t i = 0; i < 4; ++i) {
      text += i <= count ? kBase64Digits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

}  // namespace projnce
