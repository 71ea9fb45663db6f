#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::io {

// The decoders behind decode_image; bytes are known to start as their format does.
Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name,
                  const RequiredRegion& needs);
Image decode_png(std::span<const uint8_t> bytes, const std::string& name);
Image decode_bmp(std::span<const uint8_t> bytes, const std::string& name);
/// The first frame of an animation, as decode_webp; of several pages the first, as decode_tiff.
Image decode_gif(std::span<const uint8_t> bytes, const std::string& name);
Image decode_tiff(std::span<const uint8_t> bytes, const std::string& name);
Image decode_webp(std::span<const uint8_t> bytes, const std::string& name);

/// What a header says about the image behind it.
struct ImageHeader {
  int64_t width;
  int64_t height;
  double densest;  ///< the most pixels that the format can pack into one byte of file
};

/// Throws where the header is implausible: no pixels, too many, or more than a file of `file_bytes`
/// can hold, so that a small file cannot claim much memory.
void check_image_header(const ImageHeader& header, size_t file_bytes, const std::string& name);

/// An image with room for its pixels. REQUIRES: check_image_header passed.
Image blank_image(int height, int width, int channels);

/// How a transparent pixel stores its color.
enum class AlphaKind {
  kStraight,       ///< the color itself
  kPremultiplied,  ///< the color times alpha
};

/// The image of `pixels` (red, green, blue, alpha; row by row, REQUIRES height * width of them)
/// over white: one channel if every pixel is gray, else three.
Image image_from_rgba(std::span<const uint8_t> pixels, int height, int width,
                      AlphaKind alpha = AlphaKind::kStraight);

/// Images with more pixels are refused before memory is taken for them.
inline constexpr int64_t kMaxImagePixels = 32'000'000;

/// How the names of image files end, in lower case. What a file is, its content says.
const std::vector<std::string>& image_extensions();

/// Decodes a JPEG, PNG, WebP, GIF, BMP or TIFF image, told apart by content, to one channel if it
/// is gray, else to three. Of an animation the first frame, of several pages the first. Transparent
/// images are laid over white; 16 bits are reduced to 8; CMYK becomes RGB; the orientation that
/// EXIF or TIFF states is applied. `name` is for error messages. Throws if the image is damaged
/// in any way, also if the decoder could have guessed the rest.
///
/// Where `needs` is given, it is asked what part of the image is wanted, and that part, or more
/// of it, is all that comes back (see Image::window). Unreduced pixels are the same as in the whole
/// image. Damage behind the part may go unnoticed.
Image decode_image(std::span<const uint8_t> bytes, const std::string& name,
                   const RequiredRegion& needs = {});

/// decode_image of a file. `name` is what messages call it.
Image read_image(const std::filesystem::path& path, const std::string& name,
                 const RequiredRegion& needs = {});

}  // namespace projnce::io
