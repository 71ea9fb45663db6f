#include "projnce/io/image_file.h"

#include <string_view>

#include "projnce/core/error.h"
#include "projnce/io/file_magic.h"
#include "projnce/io/foreign_formats.h"
#include "projnce/io/image_decoders.h"
#include "projnce/io/regular_file.h"

namespace projnce {

namespace {

using namespace std::string_view_literals;

constexpr size_t kMaxImageFileBytes = size_t{256} << 20;

bool is_webp(std::span<const uint8_t> bytes) {
  return starts_with(bytes, "RIFF"sv) && bytes.size() >= 12 &&
         starts_with(bytes.subspan(8), "WEBP"sv);
}

/// Of either byte order, classic or BigTIFF.
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
  const auto [width, height, densest] = header;
  if (width < 1 || height < 1) {
    fail(name, " is damaged: it says that it has ", width, " x ", height, " pixels");
  }
  if (width > kMaxImagePixels / height) {
    fail(Hint{"reduce the picture first"}, name, " has ", width, " x ", height,
         " pixels, expected at most ", kMaxImagePixels, " in all");
  }
  if (static_cast<double>(width * height) > densest * static_cast<double>(file_bytes)) {
    fail(name, " claims ", width, " x ", height, " pixels, which its ", file_bytes,
         " bytes cannot hold");
  }
}

Image blank_image(int height, int width, int channels) {
  Image image{.height = height, .width = width, .channels = channels, .pixels = {}};
  image.pixels.resize(static_cast<size_t>(height) * static_cast<size_t>(width) *
                      static_cast<size_t>(channels));
  return image;
}

Image decode_image(std::span<const uint8_t> bytes, const std::string& name,
                   const PictureNeeds& needs) {
  if (starts_with(bytes, "\xFF\xD8\xFF"sv)) return decode_jpeg(bytes, name, needs);
  if (starts_with(bytes, "\x89PNG\r\n\x1A\n"sv)) return decode_png(bytes, name);
  if (starts_with(bytes, "GIF87a"sv) || starts_with(bytes, "GIF89a"sv)) {
    return decode_gif(bytes, name);
  }
  if (is_webp(bytes)) return decode_webp(bytes, name);
  if (is_tiff(bytes)) return decode_tiff(bytes, name);
  if (starts_with(bytes, "BM"sv)) return decode_bmp(bytes, name);
  if (bytes.empty()) fail(name, " is empty, expected a picture");
  refuse_git_lfs_pointer(bytes, name, "picture");
  refuse_foreign_picture(bytes, name);
  fail(name, " is not a picture that is read, expected JPEG, PNG, WebP, GIF, BMP or TIFF");
}

Image read_image(const std::filesystem::path& path, const std::string& name,
                 const PictureNeeds& needs) {
  return decode_image(read_regular_file(path, kMaxImageFileBytes).octets(), name, needs);
}

}  // namespace projnce
