#include "projnce/io/image/image_file.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/file_magic.h"
#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

namespace {

std::array<uint8_t, 3> over_white(const uint8_t* rgba, AlphaKind kind) {
  const int alpha = rgba[3];
  std::array<uint8_t, 3> color{};
  for (size_t c = 0; c < color.size(); ++c) {
    const int value = kind == AlphaKind::kStraight
                          ? (rgba[c] * alpha + 255 * (255 - alpha) + 127) / 255
                          : std::min(255, rgba[c] + 255 - alpha);
    color[c] = static_cast<uint8_t>(value);
  }
  return color;
}

/// Returns the first of three equal channels.
Image first_channel(const Image& image) {
  auto gray = blank_image(image.height, image.width, 1);
  for (size_t i = 0; i < gray.pixels.size(); ++i) gray.pixels[i] = image.pixels[3 * i];
  return gray;
}

}  // namespace

Image image_from_rgba(std::span<const uint8_t> pixels, int height, int width, AlphaKind alpha) {
  auto image = blank_image(height, width, 3);
  bool gray = true;
  for (size_t i = 0; i < image.pixels.size() / 3; ++i) {
    const auto color = over_white(pixels.data() + 4 * i, alpha);
    gray = gray && color[0] == color[1] && color[1] == color[2];
    std::copy(color.begin(), color.end(), image.pixels.begin() + static_cast<ptrdiff_t>(3 * i));
  }
  return gray ? first_channel(image) : image;
}

namespace {

using namespace std::string_view_literals;

constexpr size_t kMaxImageFileBytes = size_t{256} << 20;

bool is_webp(std::span<const uint8_t> bytes) {
  return starts_with(bytes, "RIFF"sv) && bytes.size() >= 12 &&
         starts_with(bytes.subspan(8), "WEBP"sv);
}

/// Either byte order, classic TIFF or BigTIFF.
bool is_tiff(std::span<const uint8_t> bytes) {
  return starts_with(bytes, "II*\0"sv) || starts_with(bytes, "MM\0*"sv) ||
         starts_with(bytes, "II+\0"sv) || starts_with(bytes, "MM\0+"sv);
}

}  // namespace

const std::vector<std::string>& image_extensions() {
  static const std::vector<std::string> kExtensions = {".jpg", ".jpeg", ".jfif", ".png", ".webp",
                                                       ".gif", ".bmp",  ".tif",  ".tiff"};
  return kExtensions;
}

void check_image_header(const ImageHeader& header, size_t file_bytes, const std::string& name) {
  const auto [width, height, max_pixels_per_byte] = header;
  if (width < 1 || height < 1) {
    fail(name, " is corrupt: its header declares ", width, " x ", height, " pixels");
  }
  if (width > kMaxImagePixels / height) {
    fail(Hint{"downscale the image first"}, name, " has ", width, " x ", height,
         " pixels, expected at most ", kMaxImagePixels, " in total");
  }
  if (static_cast<double>(width * height) > max_pixels_per_byte * static_cast<double>(file_bytes)) {
    fail(name, " declares ", width, " x ", height, " pixels, more than its ",
         counted(file_bytes, "byte"), " can encode");
  }
}

Image blank_image(int height, int width, int channels) {
  Image image{.height = height, .width = width, .channels = channels, .pixels = {}};
  image.pixels.resize(static_cast<size_t>(height) * static_cast<size_t>(width) *
                      static_cast<size_t>(channels));
  return image;
}

Image decode_image(std::span<const uint8_t> bytes, const std::string& name,
                   const RequiredRegion& required) {
  if (starts_with(bytes, "\xFF\xD8\xFF"sv)) return decode_jpeg(bytes, name, required);
  if (starts_with(bytes, "\x89PNG\r\n\x1A\n"sv)) return decode_png(bytes, name);
  if (starts_with(bytes, "GIF87a"sv) || starts_with(bytes, "GIF89a"sv)) {
    return decode_gif(bytes, name);
  }
  if (is_webp(bytes)) return decode_webp(bytes, name);
  if (is_tiff(bytes)) return decode_tiff(bytes, name);
  if (starts_with(bytes, "BM"sv)) return decode_bmp(bytes, name);
  if (bytes.empty()) fail(name, " is empty, expected an image");
  reject_git_lfs_pointer(bytes, name, "image");
  reject_unsupported_image(bytes, name);
  fail(name, " is not a supported image, expected JPEG, PNG, WebP, GIF, BMP or TIFF");
}

Image read_image(const std::filesystem::path& path, const std::string& name,
                 const RequiredRegion& required) {
  return decode_image(read_regular_file(path, kMaxImageFileBytes).octets(), name, required);
}

namespace {

/// Releases libpng's resources, even if decoding stops halfway.
struct PngReader {
  png_image state{};

  PngReader() { state.version = PNG_IMAGE_VERSION; }
  ~PngReader() { png_image_free(&state); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

/// Deflate compresses at most 1032:1, and a byte holds eight 1-bit pixels.
constexpr double kPngPixelsPerByte = 1032 * 8;

[[noreturn]] void fail_decoding(const PngReader& reader, const std::string& name) {
  fail(name, " is a corrupt PNG: ", reader.state.message);
}

/// Throws if the chunks of a PNG do not end in IEND: the file is truncated. libpng stops reading
/// after the last pixel. REQUIRES: the bytes start with the signature.
void require_png_end(std::span<const uint8_t> bytes, const std::string& name) {
  constexpr size_t kSignature = 8;
  constexpr size_t kOverhead = 12;  // of a chunk: length, type and checksum
  auto rest = bytes.subspan(kSignature);
  while (rest.size() >= kOverhead) {
    if (starts_with(rest.subspan(4), "IEND"sv)) return;
    const size_t length = size_t{rest[0]} << 24 | rest[1] << 16 | rest[2] << 8 | rest[3];
    if (length > rest.size() - kOverhead) break;
    rest = rest.subspan(kOverhead + length);
  }
  fail(name, " is a corrupt PNG: it is truncated, its end marker (IEND) is missing");
}

}  // namespace

Image decode_png(std::span<const uint8_t> bytes, const std::string& name) {
  PngReader reader;
  auto& state = reader.state;
  if (png_image_begin_read_from_memory(&state, bytes.data(), bytes.size()) == 0) {
    fail_decoding(reader, name);
  }
  const bool gray = (state.format & PNG_FORMAT_FLAG_COLOR) == 0;
  check_image_header({state.width, state.height, kPngPixelsPerByte}, bytes.size(), name);
  auto image =
      blank_image(static_cast<int>(state.height), static_cast<int>(state.width), gray ? 1 : 3);
  state.format = gray ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  // Otherwise, 16-bit files without gamma information would be decoded as linear light, too bright.
  state.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&state, &white, image.pixels.data(), /*row_stride=*/0,
                            /*colormap=*/nullptr) == 0) {
    fail_decoding(reader, name);
  }
  require_png_end(bytes, name);
  return image;
}

}  // namespace projnce::io
