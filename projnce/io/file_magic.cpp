#include "projnce/io/file_magic.h"

#include <algorithm>
#include <array>

#include "projnce/core/error.h"

namespace projnce::io {

namespace {

using namespace std::string_view_literals;

constexpr std::array kUnsupportedImages = {
    ".heic"sv, ".heif"sv, ".hif"sv, ".avif"sv, ".jxl"sv, ".jp2"sv, ".j2k"sv,
    ".jpx"sv,  ".psd"sv,  ".xcf"sv, ".svg"sv,  ".eps"sv, ".pdf"sv, ".ico"sv,
    ".tga"sv,  ".ppm"sv,  ".pgm"sv, ".pbm"sv,  ".exr"sv, ".hdr"sv, ".dng"sv,
    ".nef"sv,  ".cr2"sv,  ".cr3"sv, ".arw"sv,  ".orf"sv, ".rw2"sv, ".raf"sv};
constexpr std::array kUnsupportedAudio = {".m4a"sv, ".aac"sv,  ".wma"sv,  ".opus"sv, ".aif"sv,
                                          ".amr"sv, ".aiff"sv, ".webm"sv, ".mka"sv,  ".caf"sv};
constexpr std::array kVideos = {".mp4"sv, ".mov"sv, ".avi"sv, ".mkv"sv,
                                ".m4v"sv, ".mpg"sv, ".wmv"sv, ".mpeg"sv};

/// Magic bytes of an image format, at `offset`.
struct ImageMagic {
  size_t offset;
  std::string_view magic;
  const char* format;
  const char* extension;
};
constexpr std::array kUnsupportedMagics = {
    ImageMagic{4, "ftypheic"sv, "HEIC", ".heic"}, ImageMagic{4, "ftypheix"sv, "HEIC", ".heic"},
    ImageMagic{4, "ftyphevc"sv, "HEIC", ".heic"}, ImageMagic{4, "ftypmif1"sv, "HEIF", ".heif"},
    ImageMagic{4, "ftypmsf1"sv, "HEIF", ".heif"}, ImageMagic{4, "ftypavif"sv, "AVIF", ".avif"},
    ImageMagic{4, "ftypavis"sv, "AVIF", ".avif"}, ImageMagic{0, "\xFF\x0A"sv, "JPEG XL", ".jxl"},
    ImageMagic{4, "JXL "sv, "JPEG XL", ".jxl"},   ImageMagic{4, "jP  "sv, "JPEG 2000", ".jp2"},
    ImageMagic{0, "8BPS"sv, "Photoshop", ".psd"}, ImageMagic{0, "<svg"sv, "SVG", ".svg"},
    ImageMagic{0, "%PDF-"sv, "PDF", ".pdf"},
};

template <size_t N>
bool is_among(const std::array<std::string_view, N>& extensions, std::string_view extension) {
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

}  // namespace

std::string conversion_advice(std::string_view extension) {
  if (is_among(kUnsupportedImages, extension)) {
    return concat("convert to JPEG or PNG, such as with 'magick mogrify -format jpg *", extension,
                  "' (ImageMagick)");
  }
  if (is_among(kUnsupportedAudio, extension)) {
    return concat("convert to WAV, such as with 'ffmpeg -i NAME", extension, " NAME.wav'");
  }
  if (is_among(kVideos, extension)) {
    return "videos are not supported: extract frames or the audio track with ffmpeg";
  }
  return {};
}

void reject_unsupported_image(std::span<const uint8_t> bytes, const std::string& name) {
  for (const auto& [offset, magic, format, extension] : kUnsupportedMagics) {
    if (bytes.size() <= offset || !starts_with(bytes.subspan(offset), magic)) continue;
    fail(name, " is a ", format, " image, which is not supported: ", conversion_advice(extension));
  }
}

}  // namespace projnce::io
