#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/image/image_file.h"

namespace projnce::io {

namespace {

/// An LZW code has at most 12 bits and represents at most 4096 pixels.
constexpr double kGifPixelsPerByte = 4096.0 * 8 / 12;

/// A GIF file in memory. Errors of giflib are thrown as Errors that name the file.
class GifReader {
 public:
  /// Reads the header. REQUIRES: `bytes` and `name` outlive the reader.
  GifReader(std::span<const uint8_t> bytes, const std::string& name) : rest_(bytes), name_(name) {
    int error = 0;
    file_ = DGifOpen(this, &GifReader::read_bytes, &error);
    if (file_ == nullptr) fail_with(error);
  }
  GifReader(const GifReader&) = delete;
  GifReader& operator=(const GifReader&) = delete;
  ~GifReader() {
    int ignored = 0;
    DGifCloseFile(file_, &ignored);
  }

  /// Reads up to the pixels of the first frame, including preceding extensions.
  void find_first_frame() {
    for (;;) {
      GifRecordType record = UNDEFINED_RECORD_TYPE;
      require(DGifGetRecordType(file_, &record));
      if (record == IMAGE_DESC_RECORD_TYPE) break;
      if (record == TERMINATE_RECORD_TYPE) fail(name_, " is a corrupt GIF: it has no image");
      read_extension();
    }
    require(DGifGetImageDesc(file_));
  }

  /// REQUIRES: find_first_frame was called.
  const GifImageDesc& frame() const { return file_->Image; }
  /// Size of the canvas, enlarged to contain the frame if the file declares a smaller one.
  int width() const { return std::max(file_->SWidth, frame().Left + frame().Width); }
  int height() const { return std::max(file_->SHeight, frame().Top + frame().Height); }
  int transparent() const { return transparent_; }

  const ColorMapObject& colors() const {
    const auto* colors = frame().ColorMap != nullptr ? frame().ColorMap : file_->SColorMap;
    if (colors == nullptr) fail(name_, " is a corrupt GIF: it has no palette");
    return *colors;
  }

  void read_row(std::vector<GifPixelType>& row) {
    require(DGifGetLine(file_, row.data(), static_cast<int>(row.size())));
  }

 private:
  static int read_bytes(GifFileType* file, GifByteType* out, int wanted) {
    auto& rest = static_cast<GifReader*>(file->UserData)->rest_;
    const size_t count = std::min(rest.size(), static_cast<size_t>(std::max(wanted, 0)));
    if (count > 0) std::memcpy(out, rest.data(), count);
    rest = rest.subspan(count);
    return static_cast<int>(count);
  }

  void read_extension() {
    int code = 0;
    GifByteType* block = nullptr;  // length byte, then the data
    require(DGifGetExtension(file_, &code, &block));
    while (block != nullptr) {
      GraphicsControlBlock control;
      if (code == GRAPHICS_EXT_FUNC_CODE &&
          DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
        transparent_ = control.TransparentColor;
      }
      require(DGifGetExtensionNext(file_, &block));
    }
  }

  void require(int status) const {
    if (status != GIF_OK) fail_with(file_->Error);
  }
  [[noreturn]] void fail_with(int error) const {
    const char* reason = GifErrorString(error);
    fail(name_, " is a corrupt GIF: ", reason != nullptr ? reason : "it cannot be read");
  }

  std::span<const uint8_t> rest_;
  const std::string& name_;
  GifFileType* file_ = nullptr;
  int transparent_ = NO_TRANSPARENT_COLOR;
};

/// Rows of a frame in storage order.
std::vector<int> stored_rows(const GifImageDesc& frame) {
  struct Pass {
    int first;
    int step;
  };
  constexpr std::array<Pass, 4> kInterlaced = {{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
  constexpr std::array<Pass, 1> kPlain = {{{0, 1}}};
  const auto passes =
      frame.Interlace ? std::span<const Pass>(kInterlaced) : std::span<const Pass>(kPlain);
  std::vector<int> rows;
  for (const auto& [first, step] : passes) {
    for (int y = first; y < frame.Height; y += step) rows.push_back(y);
  }
  return rows;
}

}  // namespace

Image decode_gif(std::span<const uint8_t> bytes, const std::string& name) {
  GifReader reader(bytes, name);
  reader.find_first_frame();
  const auto& frame = reader.frame();
  const int width = reader.width();
  const int height = reader.height();
  check_image_header({frame.Width, frame.Height, kGifPixelsPerByte}, bytes.size(), name);
  check_image_header({width, height, kGifPixelsPerByte}, bytes.size(), name);
  const auto& colors = reader.colors();
  std::vector<uint8_t> rgba(4 * static_cast<size_t>(width) * static_cast<size_t>(height));
  std::vector<GifPixelType> row(static_cast<size_t>(frame.Width));
  for (const int y : stored_rows(frame)) {
    reader.read_row(row);
    auto* out = rgba.data() + 4 * (static_cast<size_t>(frame.Top + y) * static_cast<size_t>(width) +
                                   static_cast<size_t>(frame.Left));
    for (const int index : row) {
      if (index >= colors.ColorCount) {
        fail(name, " is a corrupt GIF: a pixel has palette index ", index, " of ",
             colors.ColorCount);
      }
      if (index != reader.transparent()) {
        const auto& color = colors.Colors[index];
        const std::array<uint8_t, 4> pixel = {color.Red, color.Green, color.Blue, 255};
        std::copy(pixel.begin(), pixel.end(), out);
      }
      out += 4;
    }
  }
  return image_from_rgba(rgba, height, width);
}

}  // namespace projnce::io
