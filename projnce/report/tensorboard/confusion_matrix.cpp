#include "projnce/report/tensorboard/confusion_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "projnce/core/error.h"
#include "projnce/report/chart/png_canvas.h"

namespace projnce::report {

namespace {

constexpr double kConfusionScale = 2;  // pixels per unit
constexpr double kConfusionMargin = 24;
constexpr double kConfusionHead = 66;    // height of the heading
constexpr double kConfusionWidth = 430;  // minimum width, for the heading
constexpr double kLongestClassName = 150;
constexpr double kNameGap = 8;
constexpr Color kRightColor = {0x36, 0x50, 0x9C};
constexpr Color kWrongColor = {0xC2, 0x3B, 0x22};

/// Sizes for a number of classes, in units.
struct CellSize {
  size_t most_classes;
  double side;
  double name_font;    ///< 0: no names
  double number_font;  ///< 0: no numbers
};

CellSize cell_size(size_t classes) {
  constexpr std::array<CellSize, 5> kSizes = {
      {{4, 84, 14, 15}, {12, 46, 13, 12}, {25, 30, 12, 9.5}, {50, 18, 11, 0}, {120, 11, 9, 0}}};
  for (const auto& size : kSizes) {
    if (classes <= size.most_classes) return size;
  }
  return {classes, std::max(1.0, std::floor(1320 / double(classes))), 0, 0};
}

/// Shade of a cell; grows with the square root, so that small shares are visible.
double cell_shade(double share) {
  return std::sqrt(share);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  if (percent < 0.95) return "<1";
  return fmt::format("{:.0f}", percent);
}

/// Draws the image.
class ConfusionDrawing {
 public:
  ConfusionDrawing(std::span<const int64_t> counts, std::vector<std::string> names)
      : counts_(counts),
        names_(std::move(names)),
        size_(cell_size(names_.size())),
        name_width_(widest_name()),
        side_(static_cast<double>(names_.size()) * size_.side),
        left_(kConfusionMargin + (name_width_ > 0 ? name_width_ + kNameGap : 0)),
        top_(kConfusionMargin + kConfusionHead),
        canvas_(std::max(left_ + side_, kConfusionMargin + kConfusionWidth) + kConfusionMargin,
                top_ + side_ + (name_width_ > 0 ? name_width_ + kNameGap : 0) + kConfusionMargin,
                kConfusionScale) {}

  Image draw() {
    head();
    canvas_.panel({left_ - 3, top_ - 3, side_ + 6, side_ + 6});
    for (size_t row = 0; row < names_.size(); ++row) draw_row(row);
    if (size_.name_font > 0) draw_names();
    return canvas_.finish();
  }

 private:
  Font name_font() const { return {.size = size_.name_font}; }

  double widest_name() {
    if (size_.name_font == 0) return 0;
    double widest = 0;
    for (auto& name : names_) {
      name = shorten(name, name_font(), kLongestClassName);
      widest = std::max(widest, text_width(name, name_font()));
    }
    return widest;
  }

  void head() {
    const TextStyle soft{.font = {.size = 12}, .ink = Ink::kSoft};
    canvas_.text({kConfusionMargin, kConfusionMargin + 16}, "Confusion matrix",
                 {.font = {.size = 17, .bold = true}});
    canvas_.text({kConfusionMargin, kConfusionMargin + 35},
                 "Rows are true classes, columns are predicted classes.", soft);
    canvas_.text({kConfusionMargin, kConfusionMargin + 51},
                 size_.number_font > 0 ? "Percent of the row: blue is correct, red is wrong."
                                       : "Shares of the row: blue is correct, red is wrong.",
                 soft);
  }

  void draw_row(size_t row) {
    const auto counts = counts_.subspan(row * names_.size(), names_.size());
    const auto total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    for (size_t column = 0; column < counts.size() && total > 0; ++column) {
      if (counts[column] <= 0) continue;
      draw_cell(row, column, double(counts[column]) / double(total));
    }
  }

  void draw_cell(size_t row, size_t column, double share) {
    const double gap = size_.side >= 10 ? 1 : 0;
    const Box box{left_ + static_cast<double>(column) * size_.side + gap / 2,
                  top_ + static_cast<double>(row) * size_.side + gap / 2, size_.side - gap,
                  size_.side - gap};
    const double shade = cell_shade(share);
    canvas_.cell(box, row == column ? kRightColor : kWrongColor, shade);
    if (size_.number_font == 0) return;
    canvas_.text({box.middle().x, box.middle().y + size_.number_font * 0.36}, percent_text(share),
                 {.font = {.size = size_.number_font},
                  .ink = shade > 0.55 ? Ink::kPanel : Ink::kText,
                  .anchor = Anchor::kMiddle});
  }

  void draw_names() {
    const TextStyle style{.font = name_font(), .anchor = Anchor::kEnd};
    const double base = size_.side / 2 + size_.name_font * 0.36;  // centers letters in the cell
    for (size_t i = 0; i < names_.size(); ++i) {
      const double at = static_cast<double>(i) * size_.side + base;
      canvas_.text({left_ - kNameGap, top_ + at}, names_[i], style);
      canvas_.upright_text({left_ + at, top_ + side_ + kNameGap}, names_[i], style);
    }
  }

  std::span<const int64_t> counts_;
  std::vector<std::string> names_;
  CellSize size_;
  double name_width_;
  double side_;
  double left_;
  double top_;
  PngCanvas canvas_;
};

}  // namespace

Image confusion_matrix_image(std::span<const int64_t> counts,
                             const std::vector<std::string>& class_names) {
  const auto classes = static_cast<size_t>(std::llround(std::sqrt(double(counts.size()))));
  if (classes == 0 || classes > kMostConfusionClasses || classes * classes != counts.size() ||
      (!class_names.empty() && class_names.size() != classes)) {
    fail("a confusion matrix needs C x C counts for C = 1 to ", kMostConfusionClasses,
         " classes, got ", counts.size(), " counts and ", class_names.size(), " names");
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < classes; ++i) {
    names.push_back(class_names.empty() ? std::to_string(i) : display_name(class_names[i]));
  }
  return ConfusionDrawing(counts, std::move(names)).draw();
}

}  // namespace projnce::report
