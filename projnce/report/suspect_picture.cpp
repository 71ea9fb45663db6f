#include "projnce/report/suspect_picture.h"

#include <algorithm>
#include <utility>

#include "projnce/report/png_canvas.h"

namespace projnce {

namespace {

constexpr double kSheetScale = 2;  // pixels for each unit, a side
constexpr double kTileSide = kSuspectTilePixels / kSheetScale;
constexpr double kTileGap = 20;
constexpr double kCaptionHeight = 56;
constexpr double kSheetMargin = 28;
constexpr size_t kTilesInARow = 6;
constexpr size_t kLeastTilesInARow = 4;  // as wide as a heading needs
constexpr Font kHeadFont = {.size = 20, .bold = true};
constexpr Font kPlainFont = {.size = 13};
constexpr Font kLabelFont = {.size = 12, .bold = true};
constexpr Font kSmallFont = {.size = 11};

/// "given → suggested", the longer name shortened first where both do not fit.
std::string both_labels(const SuspectTile& tile, double width) {
  const std::string arrow = " → ";
  const double room = width - text_width(arrow, kLabelFont);
  const double given = text_width(tile.given, kLabelFont);
  const double suggested = text_width(tile.suggested, kLabelFont);
  return shorten(tile.given, kLabelFont, std::max(room / 2, room - suggested)) + arrow +
         shorten(tile.suggested, kLabelFont, std::max(room / 2, room - given));
}

/// The picture while it is drawn, from the top down.
class SuspectDrawing {
 public:
  explicit SuspectDrawing(const SuspectTiles& sheet)
      : sheet_(sheet),
        columns_(std::clamp(sheet.tiles.size(), kLeastTilesInARow, kTilesInARow)),
        width_(static_cast<double>(columns_) * (kTileSide + kTileGap) - kTileGap),
        canvas_(width_ + 2 * kSheetMargin, height(), kSheetScale) {}

  Image draw() {
    line(sheet_.title, {.font = kHeadFont});
    line(sheet_.summary, {.font = kPlainFont, .ink = Ink::kSoft});
    top_ += kTileGap / 2;
    for (size_t i = 0; i < sheet_.tiles.size(); ++i) {
      const double left = kSheetMargin + static_cast<double>(i % columns_) * (kTileSide + kTileGap);
      tile(sheet_.tiles[i], {left, top_ + static_cast<double>(i / columns_) * kRowHeight});
    }
    top_ += static_cast<double>(rows()) * kRowHeight;
    for (const auto& remark : sheet_.remarks) line(remark, {.font = kSmallFont, .ink = Ink::kSoft});
    return canvas_.finish();
  }

 private:
  static constexpr double kRowHeight = kTileSide + kCaptionHeight + kTileGap;

  static double line_height(const std::string& text, const Font& font) {
    return text.empty() ? 0 : font.size * 1.55;
  }

  size_t rows() const { return (sheet_.tiles.size() + columns_ - 1) / columns_; }

  double height() const {
    double total = 2 * kSheetMargin + line_height(sheet_.title, kHeadFont) +
                   line_height(sheet_.summary, kPlainFont) + kTileGap / 2 +
                   static_cast<double>(rows()) * kRowHeight;
    for (const auto& remark : sheet_.remarks) total += line_height(remark, kSmallFont);
    return total;
  }

  void line(const std::string& text, const TextStyle& style) {
    canvas_.text({kSheetMargin, top_ + style.font.size}, shorten(text, style.font, width_), style);
    top_ += line_height(text, style.font);
  }

  void tile(const SuspectTile& tile, const Point& corner) {
    const Box box{corner.x, corner.y, kTileSide, kTileSide};
    canvas_.panel(box);
    canvas_.picture(tile.picture, box);
    canvas_.text({box.left, box.bottom() + 19}, both_labels(tile, box.width), {.font = kLabelFont});
    const TextStyle soft{.font = kSmallFont, .ink = Ink::kSoft};
    canvas_.text({box.left, box.bottom() + 35},
                 shorten(tile.sample, kSmallFont, box.width, Cut::kStart), soft);
    canvas_.text({box.left, box.bottom() + 51}, tile.score, soft);
    canvas_.text({box.right(), box.bottom() + 51}, tile.verdict,
                 {.font = kSmallFont,
                  .ink = tile.really_wrong ? Ink::kFound : Ink::kMissed,
                  .anchor = Anchor::kEnd});
  }

  const SuspectTiles& sheet_;
  size_t columns_;
  double width_;
  PngCanvas canvas_;
  double top_ = kSheetMargin;
};

}  // namespace

Image suspect_picture(const SuspectTiles& sheet) {
  return SuspectDrawing(sheet).draw();
}

}  // namespace projnce
