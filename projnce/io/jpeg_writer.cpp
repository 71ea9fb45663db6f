#include "projnce/io/jpeg_writer.h"

#include <turbojpeg.h>

#include <memory>

#include "projnce/core/error.h"

namespace projnce {

namespace {

struct FreeCompressor {
  void operator()(void* compressor) const { tjDestroy(compressor); }
};
struct FreeJpeg {
  void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

bool is_grey(const Image& image) {
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
                  &bytes, &size, is_grey(image) ? TJSAMP_GRAY : TJSAMP_420, quality,
                  TJFLAG_PROGRESSIVE);  // smaller
  const std::unique_ptr<unsigned char, FreeJpeg> owned(bytes);
  if (failed != 0) {
    fail_working("a picture of ", image.width, " x ", image.height,
                 " pixels cannot be written as JPEG: ", tjGetErrorStr2(compressor.get()));
  }
  return {bytes, bytes + size};
}

}  // namespace projnce
