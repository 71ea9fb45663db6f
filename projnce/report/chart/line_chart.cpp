#include "projnce/report/chart/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "projnce/report/chart/chart_axis.h"
#include "projnce/report/chart/svg_canvas.h"

namespace projnce::report {

namespace {

constexpr double kFrameWidth = 600;
constexpr double kFrameHeight = 350;
constexpr double kChartMargin = 24;
constexpr double kInsetX = 32;  // minimum distance between frame and outermost marks
constexpr double kInsetY = 16;
constexpr double kKeyRow = 22;
constexpr double kKeyText = 34;  // from the left edge of a legend entry to its name
constexpr double kWidestKey = 230;
constexpr double kHalfLetter = 4.2;  // from the center of lowercase letters to the baseline
constexpr double kMarkRadius = 4;
constexpr double kReferenceRadius = 4.5;
constexpr double kCapWidth = 3;  // half the width of an error bar's cap
constexpr Font kChartTitleFont = {.size = 17, .bold = true};
constexpr Font kChartFont = {.size = 12};
constexpr Font kSmallChartFont = {.size = 11};
constexpr int kStepsX = 8;
constexpr int kStepsY = 6;

std::vector<double> x_values(const LineChart& chart) {
  std::vector<double> values;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) values.push_back(point.x);
  }
  return values;
}

std::vector<double> y_values(const LineChart& chart) {
  std::vector<double> values;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) {
      values.insert(values.end(), {point.y, point.y - point.error, point.y + point.error});
      if (point.reference) values.push_back(*point.reference);
    }
  }
  for (const auto& line : chart.reference_lines) values.push_back(line.y);
  return values;
}

/// Wraps words into lines no wider than `width`; a word that is wider is truncated.
std::vector<std::string> wrap_words(const std::string& text, double width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto longer = lines.empty() ? word : lines.back() + ' ' + word;
    if (!lines.empty() && text_width(longer, kChartFont) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(shorten(word, kChartFont, width));
    }
  }
  return lines;
}

class LineChartDrawing {
 public:
  explicit LineChartDrawing(const LineChart& chart)
      : chart_(chart),
        x_(chart.x, x_values(chart), kStepsX),
        y_(chart.y, y_values(chart), kStepsY),
        colors_(class_colors(chart.series.size())) {
    double tick_width = 0;
    for (const auto& tick : y_.ticks()) {
      tick_width = std::max(tick_width, text_width(tick.text, kChartFont));
    }
    double key_width = 0;
    for (const auto& series : chart.series) {
      names_.push_back(shorten(series.name, kChartFont, kWidestKey));
      key_width = std::max(key_width, text_width(names_.back(), kChartFont));
    }
    for (const auto& note : {chart.mark_note, chart.reference_note}) {
      key_width = std::max(key_width, std::min(kWidestKey, text_width(note, kSmallChartFont)));
    }
    frame_ = {std::round(kChartMargin + tick_width + 8), 0, kFrameWidth, kFrameHeight};
    width_ = std::ceil(frame_.right() + 20 + kKeyText + key_width + kChartMargin);
    subtitle_ = wrap_words(chart.subtitle, width_ - 2 * kChartMargin);
    frame_.top = kChartMargin + 53 + 16 * static_cast<double>(subtitle_.size());
    const double keys = (static_cast<double>(names_.size()) + 3) * kKeyRow;
    height_ = std::max(frame_.bottom() + 48, frame_.top + keys) + kChartMargin - 8;
    find_dodge();
  }

  std::string draw() {
    SvgCanvas canvas(width_, height_, chart_.title);
    draw_heading(canvas);
    canvas.panel(frame_);
    draw_y_axis(canvas);
    draw_x_axis(canvas);
    draw_reference_lines(canvas);
    for (size_t i = 0; i < chart_.series.size(); ++i) draw_references(canvas, i);
    for (size_t i = 0; i < chart_.series.size(); ++i) draw_series(canvas, i);
    for (size_t i = 0; i < chart_.series.size(); ++i) draw_key(canvas, i);
    draw_notes(canvas);
    return canvas.finish();
  }

 private:
  double across(double share) const {
    return frame_.left + inset_x_ + share * (frame_.width - 2 * inset_x_);
  }
  double up(double share) const {
    return frame_.bottom() - kInsetY - share * (frame_.height - 2 * kInsetY);
  }
  Point at(size_t series, double x, double y) const {
    const auto others = static_cast<double>(chart_.series.size()) - 1;
    return {across(x_.share(x)) + dodge_ * (static_cast<double>(series) - others / 2),
            up(y_.share(y))};
  }
  bool shows(double x, double y) const { return x_.contains(x) && y_.contains(y); }

  /// Computes the offset between the marks of adjacent series. The marks at both ends of the axis
  /// need padding, unless the axis has an explicit range.
  void find_dodge() {
    if (chart_.dodge == 0 || chart_.series.size() < 2) return;
    auto values = x_values(chart_);
    std::erase_if(values, [this](double value) { return !x_.contains(value); });
    std::sort(values.begin(), values.end());
    double gap = 1;  // of the axis
    for (size_t i = 1; i < values.size(); ++i) {
      const double distance = x_.share(values[i]) - x_.share(values[i - 1]);
      if (distance > 1e-6) gap = std::min(gap, distance);
    }
    double room = frame_.width - 2 * kInsetX;
    if (!chart_.x.range) room /= 1 + chart_.dodge * gap;
    inset_x_ = (frame_.width - room) / 2;
    dodge_ = chart_.dodge * gap * room / static_cast<double>(chart_.series.size() - 1);
  }

  void draw_heading(Canvas& canvas) const {
    canvas.text({kChartMargin, kChartMargin + 13},
                shorten(chart_.title, kChartTitleFont, width_ - 2 * kChartMargin),
                {.font = kChartTitleFont});
    double y = kChartMargin + 35;
    for (const auto& line : subtitle_) {
      canvas.text({kChartMargin, y}, line, {.font = kChartFont, .ink = Ink::kSoft});
      y += 16;
    }
  }

  void draw_y_axis(Canvas& canvas) const {
    const TextStyle style{.font = kChartFont, .ink = Ink::kSoft, .anchor = Anchor::kEnd};
    for (const auto& tick : y_.ticks()) {
      if (!y_.contains(tick.at)) continue;
      const double y = up(y_.share(tick.at));
      canvas.rule({frame_.left, y}, {frame_.right(), y});
      canvas.text({frame_.left - 7, y + kHalfLetter}, tick.text, style);
    }
    canvas.text({frame_.left, frame_.top - 7}, chart_.y.title,
                {.font = kSmallChartFont, .ink = Ink::kSoft});
  }

  void draw_x_axis(Canvas& canvas) const {
    const TextStyle style{.font = kChartFont, .ink = Ink::kSoft, .anchor = Anchor::kMiddle};
    const auto ticks = static_cast<double>(x_.ticks().size());
    const double room =
        std::max(60.0, (frame_.width - 2 * inset_x_) / std::max(1.0, ticks - 1) - 10);
    double free_from = 0;
    for (const auto& tick : x_.ticks()) {
      if (!x_.contains(tick.at)) continue;
      const double x = across(x_.share(tick.at));
      canvas.rule({x, frame_.bottom()}, {x, frame_.bottom() + 4});
      const auto text = shorten(tick.text, kChartFont, room);
      const double half = text_width(text, kChartFont) / 2;
      if (x - half < free_from) continue;  // would overlap the previous label; its tick is kept
      canvas.text({x, frame_.bottom() + 18}, text, style);
      free_from = x + half + 8;
    }
    canvas.text({frame_.middle().x, frame_.bottom() + 40},
                shorten(chart_.x.title, kChartFont, frame_.width),
                {.font = kChartFont, .anchor = Anchor::kMiddle});
  }

  void draw_reference_lines(Canvas& canvas) const {
    for (const auto& line : chart_.reference_lines) {
      if (!y_.contains(line.y)) continue;
      const double y = up(y_.share(line.y));
      const std::array<Point, 2> ends = {{{frame_.left, y}, {frame_.right(), y}}};
      canvas.line(ends, {chart_.series.size(), light_color(Ink::kSoft), 1.5, 1, /*dashed=*/true},
                  fmt::format("{}: {}", line.name, plain_number(line.y)));
      canvas.text({frame_.right() - 6, y - 5}, line.name,
                  {.font = kSmallChartFont, .anchor = Anchor::kEnd, .halo = true});
    }
  }

  /// Draws reference values below the measured ones.
  void draw_references(Canvas& canvas, size_t number) const {
    const auto& series = chart_.series[number];
    std::vector<Point> points;
    for (const auto& point : series.points) {
      if (!point.reference || !shows(point.x, *point.reference)) continue;
      points.push_back(at(number, point.x, *point.reference));
      canvas.rings({&points.back(), 1}, {number, colors_[number], kReferenceRadius, 0.9},
                   fmt::format("{}, {}: {}", series.name, chart_.reference_note,
                               plain_number(*point.reference)));
    }
    if (points.size() < 2 || !series.line) return;
    canvas.line(points, {number, colors_[number], 1, 0.45, /*dashed=*/true},
                fmt::format("{}, {}", series.name, chart_.reference_note));
  }

  void draw_series(Canvas& canvas, size_t number) const {
    const auto& series = chart_.series[number];
    std::vector<Point> line;
    const auto end_line = [&] {
      if (series.line && line.size() > 1) {
        canvas.line(line, {number, colors_[number], 2, 1, series.dashed}, series.name);
      }
      line.clear();
    };
    for (const auto& point : series.points) {
      if (!shows(point.x, point.y)) {
        end_line();
        continue;
      }
      line.push_back(at(number, point.x, point.y));
    }
    end_line();
    for (const auto& point : series.points) {
      if (shows(point.x, point.y)) draw_mark(canvas, number, point);
    }
  }

  void draw_mark(Canvas& canvas, size_t number, const ChartPoint& point) const {
    const auto& series = chart_.series[number];
    const auto mark = at(number, point.x, point.y);
    auto value = point.label;
    if (value.empty()) {
      value = plain_number(point.y);
      if (point.error > 0) value += " ± " + plain_number(point.error);
    }
    const auto label = fmt::format("{}, {}", series.name, value);
    if (point.error > 0) {
      const double high = up(y_.bounded_share(point.y + point.error));
      const double low = up(y_.bounded_share(point.y - point.error));
      const std::array<Point, 6> bar = {{{mark.x - kCapWidth, high},
                                         {mark.x + kCapWidth, high},
                                         {mark.x, high},
                                         {mark.x, low},
                                         {mark.x - kCapWidth, low},
                                         {mark.x + kCapWidth, low}}};
      canvas.line(bar, {number, colors_[number], 1, 0.7, false}, label);
    }
    if (series.marks) canvas.dots({&mark, 1}, {number, colors_[number], kMarkRadius, 1}, label);
  }

  Box key_box(size_t row) const {
    return {frame_.right() + 20, frame_.top + static_cast<double>(row) * kKeyRow,
            width_ - frame_.right() - 20 - kChartMargin + 6, kKeyRow};
  }

  void draw_key(Canvas& canvas, size_t number) const {
    const auto& series = chart_.series[number];
    const auto box = key_box(number);
    const double y = box.middle().y;
    const std::array<Point, 2> stroke = {{{box.left + 4, y}, {box.left + 26, y}}};
    canvas.begin_key(box, number);
    if (series.line) {
      canvas.line(stroke, {number, colors_[number], 2, 1, series.dashed}, series.name);
    }
    if (series.marks) canvas.key_dot({box.left + 15, y}, kMarkRadius, colors_[number]);
    canvas.text({box.left + kKeyText, y + kHalfLetter}, names_[number], {.font = kChartFont});
    canvas.end_key();
  }

  /// Draws the legend of the marks in gray below the names.
  void draw_notes(Canvas& canvas) const {
    const MarkStyle gray{chart_.series.size(), light_color(Ink::kSoft), kMarkRadius, 1};
    size_t row = names_.size();
    const auto note = [&](const std::string& text) {
      const auto box = key_box(row++);
      const Point mark{box.left + 15, box.middle().y + 8};
      canvas.text({box.left + kKeyText, mark.y + kHalfLetter},
                  shorten(text, kSmallChartFont, kWidestKey),
                  {.font = kSmallChartFont, .ink = Ink::kSoft});
      return mark;
    };
    if (!chart_.mark_note.empty()) {
      const auto mark = note(chart_.mark_note);
      canvas.dots({&mark, 1}, gray, chart_.mark_note);
    }
    if (!chart_.reference_note.empty()) {
      const auto mark = note(chart_.reference_note);
      canvas.rings({&mark, 1}, gray, chart_.reference_note);
    }
  }

  const LineChart& chart_;
  AxisScale x_;
  AxisScale y_;
  std::vector<Color> colors_;
  std::vector<std::string> names_;
  std::vector<std::string> subtitle_;
  Box frame_;
  double inset_x_ = kInsetX;
  double dodge_ = 0;
  double width_ = 0;
  double height_ = 0;
};

}  // namespace

std::string to_svg(const LineChart& chart) {
  return LineChartDrawing(chart).draw();
}

}  // namespace projnce::report
