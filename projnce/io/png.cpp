#include <png.h>

#include "projnce/core/error.h"
#include "projnce/io/image_decoders.h"

namespace projnce {

namespace {

/// Frees what libpng holds, also where decoding stops half-way.
struct PngReader {
  png_image state{};

  PngReader() { state.version = PNG_IMAGE_VERSION; }
  ~PngReader() { png_image_free(&state); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

/// Deflate packs 1032 bytes into one at most, and a byte holds eight pixels of one bit.
constexpr double kPngPixelsPerByte = 1032 * 8;

[[noreturn]] void fail_decoding(const PngReader& reader, const std::string& name) {
  fail(name, " is a damaged PNG: ", reader.state.message);
}

}  // namespace

Image decode_png(std::span<const uint8_t> bytes, const std::string& name) {
  PngReader reader;
  auto& state = reader.state;
  if (png_image_begin_read_from_memory(&state, bytes.data(), bytes.size()) == 0) {
    fail_decoding(reader, name);
  }
  const bool grey = (state.format & PNG_FORMAT_FLAG_COLOR) == 0;
  check_image_header({state.width, state.height, kPngPixelsPerByte}, bytes.size(), name);
  auto image =
      blank_image(static_cast<int>(state.height), static_cast<int>(state.width), grey ? 1 : 3);
  state.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  // Without a gamma of their own, 16-bit files would be taken for linear light and come out pale.
  state.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&state, &white, image.pixels.data(), /*row_stride=*/0,
                            /*colormap=*/nullptr) == 0) {
    fail_decoding(reader, name);
  }
  return image;
}

}  // namespace projnce
