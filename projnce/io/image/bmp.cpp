#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/image/image_file.h"

namespace projnce::io {

namespace {

constexpr size_t kFileHeaderBytes = 14;
constexpr uint32_t kCoreHeaderBytes = 12;  // OS/2 header with 16-bit sizes
constexpr uint32_t kInfoHeaderBytes = 40;
constexpr uint32_t kAlphaHeaderBytes = 56;  // minimum size of headers with an alpha mask
constexpr size_t kMasksOffset = kFileHeaderBytes + kInfoHeaderBytes;
constexpr uint32_t kUncompressed = 0;
constexpr uint32_t kBitFields = 3;
constexpr uint32_t kAlphaBitFields = 6;
constexpr double kBmpPixelsPerByte = 8;

using BmpColor = std::array<uint8_t, 4>;  // RGBA

/// Random access to little-endian numbers of a file; throws when reading past the end.
class BmpBytes {
 public:
  BmpBytes(std::span<const uint8_t> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::span<const uint8_t> at(size_t offset, size_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) {
      fail(name_, " is a corrupt BMP: it is truncated at ", counted(bytes_.size(), "byte"));
    }
    return bytes_.subspan(offset, count);
  }
  uint32_t u16(size_t offset) const {
    const auto b = at(offset, 2);
    return static_cast<uint32_t>(b[0] | b[1] << 8);
  }
  uint32_t u32(size_t offset) const { return u16(offset) | u16(offset + 2) << 16; }
  int64_t i32(size_t offset) const { return static_cast<int32_t>(u32(offset)); }
  size_t size() const { return bytes_.size(); }
  const std::string& name() const { return name_; }

 private:
  std::span<const uint8_t> bytes_;
  const std::string& name_;
};

struct BmpHeader {
  uint32_t header_bytes = 0;
  size_t pixels = 0;  // offset of the first row
  int64_t width = 0;
  int64_t height = 0;
  bool top_down = false;
  uint32_t bits = 0;  // per pixel
  uint32_t compression = kUncompressed;

  size_t row_bytes() const { return (static_cast<size_t>(width) * bits + 31) / 32 * 4; }
  bool has_masks() const { return compression != kUncompressed; }
};

/// Throws on unsupported kinds of BMP.
void check_kind(const BmpHeader& header, const std::string& name) {
  constexpr std::array<uint32_t, 6> kDepths = {1, 4, 8, 16, 24, 32};
  if (std::find(kDepths.begin(), kDepths.end(), header.bits) == kDepths.end()) {
    fail(name, " is a corrupt BMP: it has ", counted(header.bits, "bit"),
         " per pixel, expected 1, 4, 8, 16, 24 or 32");
  }
  if (!header.has_masks()) return;
  const bool masks = header.compression == kBitFields || header.compression == kAlphaBitFields;
  if (!masks || (header.bits != 16 && header.bits != 32)) {
    fail(name, " is a BMP with compression ", header.compression,
         ", which is not supported: save it uncompressed, or as PNG");
  }
}

BmpHeader read_header(const BmpBytes& file) {
  BmpHeader header;
  header.pixels = file.u32(10);
  header.header_bytes = file.u32(14);
  if (header.header_bytes == kCoreHeaderBytes) {
    header.width = file.u16(18);
    header.height = file.u16(20);
    header.bits = file.u16(24);
  } else if (header.header_bytes >= kInfoHeaderBytes) {
    header.width = file.i32(18);
    const auto height = file.i32(22);
    header.top_down = height < 0;
    header.height = header.top_down ? -height : height;
    header.bits = file.u16(28);
    header.compression = file.u32(30);
  } else {
    fail(file.name(), " is a corrupt BMP: its header has ", counted(header.header_bytes, "byte"),
         ", expected 12, or 40 or more");
  }
  check_kind(header, file.name());
  check_image_header({header.width, header.height, kBmpPixelsPerByte}, file.size(), file.name());
  return header;
}

/// Reads the palette between header and pixels; missing entries are black.
std::vector<BmpColor> read_palette(const BmpBytes& file, const BmpHeader& header) {
  const size_t entry = header.header_bytes == kCoreHeaderBytes ? 3 : 4;
  const size_t begin = kFileHeaderBytes + header.header_bytes;
  const size_t available = header.pixels > begin ? (header.pixels - begin) / entry : 0;
  std::vector<BmpColor> palette(size_t{1} << header.bits, BmpColor{0, 0, 0, 255});
  const size_t count = std::min(palette.size(), available);
  if (count == 0) fail(file.name(), " is a corrupt BMP: it has no palette");
  for (size_t i = 0; i < count; ++i) {
    const auto bgr = file.at(begin + i * entry, 3);
    palette[i] = {bgr[2], bgr[1], bgr[0], 255};
  }
  return palette;
}

/// Bit mask of one channel of a pixel.
struct BmpMask {
  uint32_t mask = 0;

  uint8_t extract(uint32_t pixel) const {
    if (mask == 0) return 0;
    const uint64_t max_value = mask >> std::countr_zero(mask);
    const uint64_t value = (pixel & mask) >> std::countr_zero(mask);
    return static_cast<uint8_t>((value * 255 + max_value / 2) / max_value);
  }
};

std::array<BmpMask, 4> read_masks(const BmpBytes& file, const BmpHeader& header) {
  if (!header.has_masks()) {
    if (header.bits == 16) return {{{0x7C00}, {0x03E0}, {0x001F}, {0}}};
    return {{{0xFF0000}, {0x00FF00}, {0x0000FF}, {0}}};
  }
  std::array<BmpMask, 4> masks;
  const bool alpha =
      header.header_bytes >= kAlphaHeaderBytes || header.compression == kAlphaBitFields;
  for (size_t c = 0; c < (alpha ? 4U : 3U); ++c) masks[c].mask = file.u32(kMasksOffset + 4 * c);
  return masks;
}

void read_indexed_row(std::span<const uint8_t> row, const BmpHeader& header,
                      const std::vector<BmpColor>& palette, uint8_t* out) {
  const uint32_t per_byte = 8 / header.bits;
  for (size_t x = 0; x < static_cast<size_t>(header.width); ++x) {
    const auto shift = 8 - header.bits * (x % per_byte + 1);
    const size_t index = (row[x / per_byte] >> shift) & (palette.size() - 1);
    out = std::copy(palette[index].begin(), palette[index].end(), out);
  }
}

void read_masked_row(std::span<const uint8_t> row, const BmpHeader& header,
                     const std::array<BmpMask, 4>& masks, uint8_t* out) {
  const size_t bytes = header.bits / 8;
  for (size_t x = 0; x < static_cast<size_t>(header.width); ++x) {
    uint32_t pixel = 0;
    for (size_t b = 0; b < bytes; ++b) pixel |= uint32_t{row[x * bytes + b]} << (8 * b);
    for (const auto& mask : masks) *out++ = mask.extract(pixel);
  }
}

/// If alpha is zero everywhere, it is unused; makes all pixels opaque.
void make_unused_alpha_opaque(std::vector<uint8_t>& rgba) {
  for (size_t i = 3; i < rgba.size(); i += 4) {
    if (rgba[i] != 0) return;
  }
  for (size_t i = 3; i < rgba.size(); i += 4) rgba[i] = 255;
}

}  // namespace

Image decode_bmp(std::span<const uint8_t> bytes, const std::string& name) {
  const BmpBytes file(bytes, name);
  const auto header = read_header(file);
  const auto width = static_cast<size_t>(header.width);
  const auto height = static_cast<size_t>(header.height);
  const auto rows = file.at(header.pixels, height * header.row_bytes());
  const bool indexed = header.bits <= 8;
  const auto palette = indexed ? read_palette(file, header) : std::vector<BmpColor>{};
  const auto masks = indexed ? std::array<BmpMask, 4>{} : read_masks(file, header);
  std::vector<uint8_t> rgba(4 * width * height);
  for (size_t y = 0; y < height; ++y) {
    const size_t stored_row = header.top_down ? y : height - 1 - y;
    const auto row = rows.subspan(stored_row * header.row_bytes(), header.row_bytes());
    auto* out = rgba.data() + 4 * width * y;
    indexed ? read_indexed_row(row, header, palette, out)
            : read_masked_row(row, header, masks, out);
  }
  make_unused_alpha_opaque(rgba);
  return image_from_rgba(rgba, static_cast<int>(height), static_cast<int>(width));
}

}  // namespace projnce::io
