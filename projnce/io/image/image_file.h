#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::io {

// The decoders behind decode_image. REQUIRES: the bytes start with the magic of their format.
Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name,
                  const RequiredRegion& required);
Image decode_png(std::span<const uint8_t> bytes, const std::string& name);
Image decode_bmp(std::span<const uint8_t> bytes, const std::string& name);
/// Decodes the first frame of an animation (also decode_webp) or the first page (decode_tiff).
Image decode_gif(std::span<const uint8_t> bytes, const std::string& name);
Image decode_tiff(std::span<const uint8_t> bytes, const std::string& name);
Image decode_webp(std::span<const uint8_t> bytes, const std::string& name);

/// Image size according to a file header.
struct ImageHeader {
  int64_t width;
  int64_t height;
  double max_pixels_per_byte;  ///< maximum that the format can encode
};

/// Throws if the header is implausible: zero pixels, too many pixels, or more than `file_bytes` can
/// encode. Prevents small files from causing large allocations.
void check_image_header(const ImageHeader& header, size_t file_bytes, const std::string& name);

/// Allocates an image. REQUIRES: check_image_header passed.
Image blank_image(int height, int width, int channels);

/// Color representation of transparent pixels.
enum class AlphaKind {
  kStraight,       ///< the color itself
  kPremultiplied,  ///< the color times alpha
};

/// Composites RGBA pixels (row-major, REQUIRES height * width of them) over white. Returns one
/// channel if all pixels are gray, otherwise three.
Image image_from_rgba(std::span<const uint8_t> pixels, int height, int width,
                      AlphaKind alpha = AlphaKind::kStraight);

/// Images with more pixels are rejected before any allocation.
inline constexpr int64_t kMaxImagePixels = 32'000'000;

/// Lowercase extensions of image files. Formats are detected by content, not by extension.
const std::vector<std::string>& image_extensions();

/// Decodes a JPEG, PNG, WebP, GIF, BMP or TIFF image, detected by content. Returns one channel for
/// gray images, otherwise three; only the first frame or page. Transparency is composited over
/// white, 16-bit samples are reduced to 8 bits, CMYK is converted to RGB, and the EXIF or TIFF
/// orientation is applied. `name` is used in error messages. Throws if the image is corrupt in any
/// way, even if the decoder could recover.
///
/// If `required` is given, it is called with the image size, and only the region that it returns
/// (or a larger one) is decoded; see Image::window. Pixels that are not reduced equal those of the
/// full image. Corruption outside the decoded region may go unnoticed.
Image decode_image(std::span<const uint8_t> bytes, const std::string& name,
                   const RequiredRegion& required = {});

/// decode_image for a file. `name` is used in messages.
Image read_image(const std::filesystem::path& path, const std::string& name,
                 const RequiredRegion& required = {});

}  // namespace projnce::io
