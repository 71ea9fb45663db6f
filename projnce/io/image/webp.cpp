#include <webp/decode.h>
#include <webp/demux.h>

#include <limits>
#include <memory>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/image/image_file.h"
#include "projnce/io/image/orientation.h"

namespace projnce::io {

namespace {

/// No limit: a lossless image of a single color takes a few bytes at any size.
constexpr double kWebpPixelsPerByte = std::numeric_limits<double>::infinity();

struct WebpDeleter {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

[[noreturn]] void fail_webp(const std::string& name, const char* reason) {
  fail(name, " is a corrupt WebP: ", reason);
}

int read_orientation(const WebPDemuxer& demuxer) {
  WebPChunkIterator chunk;
  if (WebPDemuxGetChunk(&demuxer, "EXIF", 1, &chunk) == 0) return 1;
  constexpr std::string_view kPrefix("Exif\0\0",
                                     6);  // of JPEG segments; usually absent in WebP
  std::vector<uint8_t> segment(chunk.chunk.bytes, chunk.chunk.bytes + chunk.chunk.size);
  WebPDemuxReleaseChunkIterator(&chunk);
  if (!std::equal(
          kPrefix.begin(), kPrefix.end(), segment.begin(),
          segment.begin() + static_cast<ptrdiff_t>(std::min(kPrefix.size(), segment.size())))) {
    segment.insert(segment.begin(), kPrefix.begin(), kPrefix.end());
  }
  return exif_orientation(segment);
}

Image decode_still(std::span<const uint8_t> bytes, const WebPBitstreamFeatures& features,
                   const std::string& name) {
  const size_t stride = 4 * static_cast<size_t>(features.width);
  std::vector<uint8_t> rgba(stride * static_cast<size_t>(features.height));
  if (WebPDecodeRGBAInto(bytes.data(), bytes.size(), rgba.data(), rgba.size(),
                         static_cast<int>(stride)) == nullptr) {
    fail_webp(name, "its pixels cannot be decoded");
  }
  return image_from_rgba(rgba, features.height, features.width);
}

/// Decodes the first frame onto the canvas of the animation.
Image decode_first_frame(std::span<const uint8_t> bytes, const std::string& name) {
  WebPAnimDecoderOptions options;
  if (WebPAnimDecoderOptionsInit(&options) == 0) fail_webp(name, "libwebp version mismatch");
  options.color_mode = MODE_RGBA;
  const WebPData data{bytes.data(), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, WebpDeleter> decoder(WebPAnimDecoderNew(&data, &options));
  WebPAnimInfo info;
  uint8_t* canvas = nullptr;  // owned by the decoder
  int timestamp = 0;
  if (!decoder || WebPAnimDecoderGetInfo(decoder.get(), &info) == 0 ||
      WebPAnimDecoderGetNext(decoder.get(), &canvas, &timestamp) == 0) {
    fail_webp(name, "its first frame cannot be decoded");
  }
  const size_t size = size_t{4} * info.canvas_width * info.canvas_height;
  return image_from_rgba({canvas, size}, static_cast<int>(info.canvas_height),
                         static_cast<int>(info.canvas_width));
}

}  // namespace

Image decode_webp(std::span<const uint8_t> bytes, const std::string& name) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK) {
    fail_webp(name, "its header cannot be read");
  }
  check_image_header({features.width, features.height, kWebpPixelsPerByte}, bytes.size(), name);
  const WebPData data{bytes.data(), bytes.size()};
  const std::unique_ptr<WebPDemuxer, WebpDeleter> demuxer(WebPDemux(&data));
  if (!demuxer) fail_webp(name, "it is truncated or its chunks are inconsistent");
  const Orientation orientation(read_orientation(*demuxer));
  auto image = features.has_animation != 0 ? decode_first_frame(bytes, name)
                                           : decode_still(bytes, features, name);
  return orientation.apply(std::move(image));
}

}  // namespace projnce::io
