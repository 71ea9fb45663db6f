#include <algorithm>
#include <array>

#include "projnce/io/image_decoders.h"
#include "projnce/io/jpeg_reader.h"
#include "projnce/io/orientation.h"

namespace projnce {

namespace {

/// A block of 8 x 8 grey pixels takes one Huffman code, so one bit, at the very least; twice that.
constexpr double kJpegPixelsPerByte = 1024;

/// libjpeg divides by other numbers as well, but slower than it decodes the full size.
constexpr std::array kReductions = {8, 4, 2, 1};

int largest_reduction(double allowed) {
  return *std::find_if(kReductions.begin(), kReductions.end() - 1,
                       [&](int reduction) { return reduction <= allowed; });
}

/// The box inside a picture of these sides, at least one pixel of it.
PixelBox inside(const PixelBox& box, int height, int width) {
  const int top = std::clamp(box.top, 0, height - 1);
  const int left = std::clamp(box.left, 0, width - 1);
  return {top, left, std::clamp(box.top + box.height, top + 1, height) - top,
          std::clamp(box.left + box.width, left + 1, width) - left};
}

/// The pixels of the reduced picture that cover a box of the full one.
PixelBox reduced(const PixelBox& box, int reduction) {
  const int top = box.top / reduction;
  const int left = box.left / reduction;
  const auto last = [&](int end) { return (end + reduction - 1) / reduction; };
  return {top, left, last(box.top + box.height) - top, last(box.left + box.width) - left};
}

PixelBox enlarged(const PixelBox& box, int reduction) {
  return {box.top * reduction, box.left * reduction, box.height * reduction, box.width * reduction};
}

/// Four inks to red, green and blue, in place: each colour is what its ink and black let through.
void ink_to_rgb(Image& image, bool inverted) {
  const size_t count = image.pixels.size() / 4;
  const int flip = inverted ? 0 : 255;
  const uint8_t* ink = image.pixels.data();
  uint8_t* rgb = image.pixels.data();
  for (size_t i = 0; i < count; ++i, ink += 4, rgb += 3) {
    const int black = ink[3] ^ flip;
    for (int c = 0; c < 3; ++c) {
      rgb[c] = static_cast<uint8_t>(((ink[c] ^ flip) * black + 127) / 255);
    }
  }
  image.channels = 3;
  image.pixels.resize(3 * count);
}

PictureNeed ask(const PictureNeeds& needs, const Orientation& orientation,
                const JpegReader& reader) {
  const auto [height, width] = orientation.swaps_axes()
                                   ? std::pair{reader.width(), reader.height()}
                                   : std::pair{reader.height(), reader.width()};
  return needs ? needs(height, width) : PictureNeed{{0, 0, height, width}};
}

}  // namespace

Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name,
                  const PictureNeeds& needs) {
  JpegReader reader(bytes, name);
  const int height = reader.height();
  const int width = reader.width();
  check_image_header({width, height, kJpegPixelsPerByte}, bytes.size(), name);

  const Orientation orientation(reader.orientation());
  const auto need = ask(needs, orientation, reader);
  const int reduction = largest_reduction(need.reduction);
  const auto part = inside(orientation.to_file(need.box, height, width), height, width);
  const auto box = reduced(part, reduction);
  auto image = blank_image(box.height, box.width, reader.components());
  if (reduction > 1 || box != PixelBox{0, 0, height, width}) {
    image.window = PictureWindow{height, width, enlarged(box, reduction), reduction};
  }
  reader.read(box, reduction, image.pixels);
  if (image.channels == 4) ink_to_rgb(image, reader.inverted_ink());
  return orientation.turn(std::move(image));
}

}  // namespace projnce
