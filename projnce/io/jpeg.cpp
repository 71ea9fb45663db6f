#include <turbojpeg.h>

#include <memory>

#include "projnce/core/error.h"
#include "projnce/io/image_decoders.h"

namespace projnce {

namespace {

struct CloseTurboJpeg {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using TurboJpeg = std::unique_ptr<void, CloseTurboJpeg>;

/// A block of 8 x 8 grey pixels takes one Huffman code, so one bit, at the very least; twice that.
constexpr double kPixelsPerByte = 1024;

[[noreturn]] void fail_decoding(const TurboJpeg& decoder, const std::string& name) {
  fail(name, " is a damaged JPEG: ", tjGetErrorStr2(decoder.get()));
}

}  // namespace

Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name) {
  const TurboJpeg decoder(tjInitDecompress());
  if (!decoder) fail_working("TurboJPEG cannot start: ", tjGetErrorStr2(nullptr));
  int width = 0;
  int height = 0;
  int subsampling = 0;
  int colours = 0;
  if (tjDecompressHeader3(decoder.get(), bytes.data(), bytes.size(), &width, &height, &subsampling,
                          &colours) != 0) {
    fail_decoding(decoder, name);
  }
  if (colours == TJCS_CMYK || colours == TJCS_YCCK) {
    fail(Hint{"convert the picture to RGB"}, name, " is a CMYK JPEG, expected grey or RGB");
  }
  const bool grey = colours == TJCS_GRAY;
  auto image = allocate_image({width, height, grey ? 1 : 3, kPixelsPerByte}, bytes.size(), name);
  // A warning, such as a file that ends early, makes this fail as well: the rest would be guessed.
  // LIMITSCANS stops progressive files whose thousands of scans would keep the decoder busy.
  if (tjDecompress2(decoder.get(), bytes.data(), bytes.size(), image.pixels.data(), width,
                    /*pitch=*/0, height, grey ? TJPF_GRAY : TJPF_RGB,
                    TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0) {
    fail_decoding(decoder, name);
  }
  return image;
}

}  // namespace projnce
