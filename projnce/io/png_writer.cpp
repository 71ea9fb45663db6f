#include "projnce/io/png_writer.h"

#include <png.h>

#include <array>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr std::array<png_uint_32, 4> kPngFormats = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                                    PNG_FORMAT_RGBA};

png_uint_32 png_format(int channels) {
  if (channels < 1 || channels > 4) fail("a PNG has 1 to 4 channels, not ", channels);
  return kPngFormats[static_cast<size_t>(channels - 1)];
}

}  // namespace

std::vector<uint8_t> encode_png(const Image& image) {
  png_image state{};
  state.version = PNG_IMAGE_VERSION;
  state.width = static_cast<png_uint_32>(image.width);
  state.height = static_cast<png_uint_32>(image.height);
  state.format = png_format(image.channels);

  std::vector<uint8_t> bytes(PNG_IMAGE_PNG_SIZE_MAX(state));
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&state, bytes.data(), &size, /*convert_to_8_bit=*/0,
                                image.pixels.data(), /*row_stride=*/0, /*colormap=*/nullptr) == 0) {
    fail_working("cannot write a PNG of ", image.height, " x ", image.width,
                 " pixels: ", state.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace projnce
