#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/image/image_file.h"
#include "projnce/io/image/orientation.h"

namespace projnce::io {

namespace {

/// Deflate compresses at most 1032:1, and a byte holds eight 1-bit pixels.
constexpr double kTiffPixelsPerByte = 1032 * 8;
/// Allocation limit: a strip or tile of a whole image with four 16-bit channels.
constexpr tmsize_t kMaxTiffBytes = tmsize_t{8} * kMaxImagePixels;

/// A supported compression; `bounded` if a byte encodes at most kTiffPixelsPerByte pixels. libtiff
/// supports others, which are rare and have a history of memory errors.
struct TiffCompression {
  uint16_t id;
  bool bounded;
};
constexpr std::array<TiffCompression, 12> kTiffCompressions = {{
    {COMPRESSION_NONE, true},
    {COMPRESSION_PACKBITS, true},
    {COMPRESSION_LZW, true},
    {COMPRESSION_DEFLATE, true},
    {COMPRESSION_ADOBE_DEFLATE, true},
    {COMPRESSION_JPEG, true},
    {COMPRESSION_CCITTRLE, false},
    {COMPRESSION_CCITTFAX3, false},
    {COMPRESSION_CCITTFAX4, false},
    {COMPRESSION_LZMA, false},
    {COMPRESSION_ZSTD, false},
    {COMPRESSION_WEBP, false},
}};

/// The first image of a TIFF file in memory. Errors of libtiff are thrown as Errors that name the
/// file; warnings, mostly about unknown tags, are ignored.
class TiffReader {
 public:
  /// Reads the header. REQUIRES: `bytes` and `name` outlive the reader.
  TiffReader(std::span<const uint8_t> bytes, const std::string& name)
      : bytes_(bytes), name_(name), message_("it cannot be read") {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
        TIFFOpenOptionsAlloc(), &TIFFOpenOptionsFree);
    if (!options) fail_runtime("not enough memory to open ", name);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxTiffBytes);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &TiffReader::note_error, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &TiffReader::ignore_warning, this);
    // 'm' disables memory mapping.
    tiff_ = TIFFClientOpenExt(name.c_str(), "rm", this, &TiffReader::read, &TiffReader::write,
                              &TiffReader::seek, &TiffReader::close, &TiffReader::size,
                              /*map=*/nullptr, /*unmap=*/nullptr, options.get());
    if (tiff_ == nullptr) fail_corrupt();
  }
  TiffReader(const TiffReader&) = delete;
  TiffReader& operator=(const TiffReader&) = delete;
  ~TiffReader() { TIFFClose(tiff_); }

  TIFF* get() { return tiff_; }

  /// Returns a 16-bit field, or its default.
  uint16_t field(uint32_t tag) {
    uint16_t value = 0;
    TIFFGetFieldDefaulted(tiff_, tag, &value);
    return value;
  }
  uint32_t wide_field(uint32_t tag) {
    uint32_t value = 0;
    TIFFGetField(tiff_, tag, &value);
    return value;
  }

  [[noreturn]] void fail_corrupt() const { fail(name_, " is a corrupt TIFF: ", message_); }

 private:
  static TiffReader& self(thandle_t handle) { return *static_cast<TiffReader*>(handle); }

  static tmsize_t read(thandle_t handle, void* out, tmsize_t wanted) {
    auto& reader = self(handle);
    const uint64_t size = reader.bytes_.size();
    const uint64_t left = size - std::min(size, reader.position_);
    const uint64_t count = std::min(left, static_cast<uint64_t>(std::max<tmsize_t>(wanted, 0)));
    if (count > 0) std::memcpy(out, reader.bytes_.data() + reader.position_, count);
    reader.position_ += count;
    return static_cast<tmsize_t>(count);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t handle, toff_t offset, int from) {
    auto& reader = self(handle);
    uint64_t base = 0;
    if (from == SEEK_CUR) base = reader.position_;
    if (from == SEEK_END) base = reader.bytes_.size();
    reader.position_ = base + offset;  // reads past the end return nothing
    return reader.position_;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return self(handle).bytes_.size(); }

  /// Keeps only the first error; later ones are consequences.
  static int note_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
    auto& reader = *static_cast<TiffReader*>(user);
    if (reader.noted_) return 1;
    std::array<char, 300> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    reader.message_ = text.data();
    reader.noted_ = true;
    return 1;
  }
  static int ignore_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

  std::span<const uint8_t> bytes_;
  const std::string& name_;
  std::string message_;
  bool noted_ = false;
  uint64_t position_ = 0;
  TIFF* tiff_ = nullptr;
};

/// Maximum number of pixels per byte for this file's compression. Throws if it is not supported.
double max_pixels_per_byte(TiffReader& reader, const std::string& name) {
  const auto compression = reader.field(TIFFTAG_COMPRESSION);
  const auto found =
      std::find_if(kTiffCompressions.begin(), kTiffCompressions.end(),
                   [&](const TiffCompression& entry) { return entry.id == compression; });
  if (found == kTiffCompressions.end() || TIFFIsCODECConfigured(compression) == 0) {
    fail(name, " is a TIFF with compression ", compression,
         ", which is not supported: save it with LZW or deflate, or as PNG");
  }
  return found->bounded ? kTiffPixelsPerByte : std::numeric_limits<double>::infinity();
}

/// State of libtiff's conversion to RGBA.
struct TiffConversion {
  TIFFRGBAImage state{};
  bool begun = false;

  TiffConversion() = default;
  TiffConversion(const TiffConversion&) = delete;
  TiffConversion& operator=(const TiffConversion&) = delete;
  ~TiffConversion() {
    if (begun) TIFFRGBAImageEnd(&state);
  }
};

/// Returns the pixels in file order, ignoring the orientation.
std::vector<uint32_t> read_raster(TiffReader& reader, uint32_t width, uint32_t height,
                                  const std::string& name) {
  std::array<char, 1024> reason{};  // libtiff's maximum
  if (TIFFRGBAImageOK(reader.get(), reason.data()) == 0) {
    fail(name, " is an unsupported kind of TIFF (", reason.data(),
         "): save it with 8 or 16 bits per channel, or as PNG");
  }
  TiffConversion conversion;
  auto& state = conversion.state;
  conversion.begun = TIFFRGBAImageBegin(&state, reader.get(), /*stop=*/1, reason.data()) != 0;
  if (!conversion.begun) reader.fail_corrupt();
  state.req_orientation = state.orientation;
  std::vector<uint32_t> raster(size_t{width} * height);
  if (TIFFRGBAImageGet(&state, raster.data(), width, height) == 0) reader.fail_corrupt();
  return raster;
}

/// Converts the packed pixels to RGBA bytes in place.
std::span<const uint8_t> unpack_in_place(std::vector<uint32_t>& raster) {
  auto* bytes = reinterpret_cast<uint8_t*>(raster.data());
  for (size_t i = 0; i < raster.size(); ++i) {
    const uint32_t pixel = raster[i];
    const std::array<uint32_t, 4> values = {TIFFGetR(pixel), TIFFGetG(pixel), TIFFGetB(pixel),
                                            TIFFGetA(pixel)};
    std::copy(values.begin(), values.end(), bytes + 4 * i);
  }
  return {bytes, 4 * raster.size()};
}

}  // namespace

Image decode_tiff(std::span<const uint8_t> bytes, const std::string& name) {
  TiffReader reader(bytes, name);
  const auto width = reader.wide_field(TIFFTAG_IMAGEWIDTH);
  const auto height = reader.wide_field(TIFFTAG_IMAGELENGTH);
  check_image_header({width, height, max_pixels_per_byte(reader, name)}, bytes.size(), name);
  const auto orientation = reader.field(TIFFTAG_ORIENTATION);
  auto raster = read_raster(reader, width, height, name);
  const auto rgba = unpack_in_place(raster);
  auto image = image_from_rgba(rgba, static_cast<int>(height), static_cast<int>(width),
                               AlphaKind::kPremultiplied);
  const bool valid = orientation >= ORIENTATION_TOPLEFT && orientation <= ORIENTATION_LEFTBOT;
  return Orientation(valid ? orientation : 1).apply(std::move(image));
}

}  // namespace projnce::io
