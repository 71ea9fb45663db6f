#include "projnce/io/image/image_writer.h"

#include <png.h>
#include <turbojpeg.h>

#include <array>
#include <memory>

#include "projnce/core/error.h"

namespace projnce::io {

namespace {

struct FreeCompressor {
  void operator()(void* compressor) const { tjDestroy(compressor); }
};
struct FreeJpeg {
  void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

bool is_gray(const Image& image) {
  for (size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    if (image.pixels[i] != image.pixels[i + 1] || image.pixels[i] != image.pixels[i + 2]) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<uint8_t> encode_jpeg(const Image& image, int quality) {
  const std::unique_ptr<void, FreeCompressor> compressor(tjInitCompress());
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int failed =
      tjCompress2(compressor.get(), image.pixels.data(), image.width, 0, image.height, TJPF_RGB,
                  &bytes, &size, is_gray(image) ? TJSAMP_GRAY : TJSAMP_420, quality,
                  TJFLAG_PROGRESSIVE);  // smaller
  const std::unique_ptr<unsigned char, FreeJpeg> owned(bytes);
  if (failed != 0) {
    fail_runtime("an image of ", image.width, " x ", image.height,
                 " pixels cannot be written as JPEG: ", tjGetErrorStr2(compressor.get()));
  }
  return {bytes, bytes + size};
}

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
    fail_runtime("cannot write a PNG of ", image.height, " x ", image.width,
                 " pixels: ", state.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace projnce::io
