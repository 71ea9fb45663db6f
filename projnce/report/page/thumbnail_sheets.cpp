#include "projnce/report/page/thumbnail_sheets.h"

#include <algorithm>
#include <array>

#include "projnce/core/error.h"
#include "projnce/dataset/inspect/sample_previews.h"
#include "projnce/io/image/image_writer.h"

namespace projnce::report {

namespace {

constexpr int kSheetColumns = 32;
constexpr size_t kSheetImages = size_t{kSheetColumns} * kSheetColumns;
constexpr size_t kTriedImages = 96;
/// Background of images that are not square, in both themes.
constexpr uint8_t kSheetGround = 0x99;

/// Sides are multiples of a JPEG block with half-resolution chroma, so that adjacent images do not
/// bleed into each other.
struct SheetQuality {
  int side;
  int quality;
};
constexpr std::array<SheetQuality, 13> kSheetQualities = {{{96, 85},
                                                           {96, 70},
                                                           {64, 80},
                                                           {64, 60},
                                                           {48, 75},
                                                           {48, 55},
                                                           {32, 85},
                                                           {32, 70},
                                                           {32, 55},
                                                           {32, 42},
                                                           {32, 30},
                                                           {32, 20},
                                                           {16, 50}}};

void put_image(const Image& image, size_t number, Image& sheet) {
  const auto side = static_cast<size_t>(image.width);
  const size_t columns = static_cast<size_t>(sheet.width) / side;
  const size_t top = number / columns * side;
  const size_t left = number % columns * side;
  for (size_t y = 0; y < side; ++y) {
    const auto* from = image.pixels.data() + y * side * 4;
    auto* to = sheet.pixels.data() + ((top + y) * static_cast<size_t>(sheet.width) + left) * 3;
    for (size_t x = 0; x < side; ++x, from += 4, to += 3) {
      for (int c = 0; c < 3; ++c) to[c] = from[3] != 0 ? from[c] : kSheetGround;
    }
  }
}

std::vector<uint8_t> make_sheet(const std::vector<Image>& images, int columns, int quality) {
  const int side = images.front().width;
  const int rows = (static_cast<int>(images.size()) + columns - 1) / columns;
  Image sheet{rows * side, columns * side, 3, {}};
  sheet.pixels.assign(static_cast<size_t>(sheet.height) * static_cast<size_t>(sheet.width) * 3,
                      kSheetGround);
  for (size_t i = 0; i < images.size(); ++i) put_image(images[i], i, sheet);
  return io::encode_jpeg(sheet, quality);
}

/// Returns the longest side of the first images that decode, in whole blocks. Samples that are not
/// images can be drawn at any size.
int useful_side(const dataset::Dataset& dataset, const std::vector<int64_t>& samples, int largest) {
  if (dataset.kind() != SampleKind::kImage) return largest;
  int longest = 16;
  for (const int64_t i : samples) {
    try {
      const auto image = std::get<Image>(dataset.decode(i));
      longest = std::max({longest, image.height, image.width});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
    }
  }
  return std::min(largest, (longest + 15) / 16 * 16);
}

std::vector<int64_t> some_of(const std::vector<int64_t>& samples) {
  const size_t count = std::min(samples.size(), kTriedImages);
  std::vector<int64_t> some;
  for (size_t k = 0; k < count; ++k) some.push_back(samples[k * samples.size() / count]);
  return some;
}

SheetQuality choose_quality(const dataset::DatasetPtr& dataset, const std::vector<int64_t>& samples,
                            const dataset::AudioDrawing& audio, const ThumbnailOptions& options) {
  const auto tried = some_of(samples);
  const int largest = useful_side(*dataset, tried, options.largest_side);
  std::vector<Image> images;
  for (const auto& [side, quality] : kSheetQualities) {
    if (side > largest) continue;
    if (images.empty() || images.front().width != side) {
      images = dataset::draw_samples(dataset, tried, side, audio, options.decoding);
    }
    const auto bytes = static_cast<double>(make_sheet(images, kSheetColumns, quality).size());
    const double expected = bytes * double(samples.size()) / double(tried.size());
    if (expected <= double(options.bytes)) return {side, quality};
  }
  return kSheetQualities.back();
}

}  // namespace

ThumbnailSheets make_thumbnail_sheets(const dataset::DatasetPtr& dataset,
                                      const std::vector<int64_t>& samples,
                                      const ThumbnailOptions& options) {
  if (samples.empty()) return {};
  const auto audio = dataset::audio_drawing(*dataset);
  const auto chosen = choose_quality(dataset, samples, audio, options);
  ThumbnailSheets result{
      .side = chosen.side,
      .columns = static_cast<int>(std::min<size_t>(samples.size(), kSheetColumns)),
      .per_sheet = static_cast<int>(kSheetImages),
      .sheets = {}};
  for (size_t first = 0; first < samples.size(); first += kSheetImages) {
    const size_t end = std::min(samples.size(), first + kSheetImages);
    const std::vector<int64_t> part(samples.begin() + ptrdiff_t(first),
                                    samples.begin() + ptrdiff_t(end));
    result.sheets.push_back(
        make_sheet(dataset::draw_samples(dataset, part, chosen.side, audio, options.decoding),
                   result.columns, chosen.quality));
  }
  return result;
}

}  // namespace projnce::report
