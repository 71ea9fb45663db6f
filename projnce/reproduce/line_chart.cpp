#include "projnce/reproduce/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projnce/report/svg_canvas.h"
#include "projnce/reproduce/chart_axis.h"

namespace projnce {

namespace {

constexpr double kFrameWidth = 600;
constexpr double kFrameHeight = 350;
constexpr double kInset = 16;  // between the frame and the outermost marks
constexpr double kMostAside = 4;
constexpr double kKeyRow = 22;
constexpr double kKeyText = 34;  // from the left of a key to its name
constexpr double kWidestName = 230;
constexpr double kMeanRadius = 4;
constexpr double kSeedRadius = 2.2;
constexpr double kSeedOpacity = 0.5;
constexpr double kPaperRadius = 4.5;

std::vector<ChartValue> values_of(const std::vector<ChartCurve>& curves) {
  std::vector<ChartValue> values;
  for (const auto& curve : curves) {
    for (const auto& point : curve.points) values.push_back(point.value);
  }
  return values;
}

class LineChartDrawing {
 public:
  explicit LineChartDrawing(const LineChart& chart)
      : chart_(chart),
        axis_(value_axis(chart_numbers(values_of(chart.curves)), 6)),
        colours_(class_colours(chart.curves.size())),
        paper_(has_paper(values_of(chart.curves))),
        several_seeds_(has_several_seeds(values_of(chart.curves))) {
    double tick_width = 0;
    for (const auto& tick : axis_.ticks) {
      tick_width = std::max(tick_width, text_width(tick.text, kChartFont));
    }
    double name_width = text_width("mean of the seeds", kChartFont);
    for (const auto& curve : chart.curves) {
      names_.push_back(shorten(curve.name, kChartFont, kWidestName));
      name_width = std::max(name_width, text_width(names_.back(), kChartFont));
    }
    frame_ = {std::round(kChartMargin + tick_width + 8), 0, kFrameWidth, kFrameHeight};
    width_ = std::ceil(frame_.right() + 20 + kKeyText + name_width + kChartMargin);
    heading_.emplace(chart.title, chart.subtitle, width_);
    frame_.top = heading_->bottom() + 18;
    const double keys = (static_cast<double>(names_.size()) + (paper_ ? 4 : 3)) * kKeyRow;
    height_ = std::max(frame_.bottom() + 48, frame_.top + keys) + kChartMargin - 8;
  }

  std::string draw() {
    SvgCanvas canvas(width_, height_, chart_.title);
    heading_->draw(canvas);
    canvas.panel(frame_);
    draw_values(canvas);
    draw_stops(canvas);
    for (size_t i = 0; i < chart_.curves.size(); ++i) draw_paper(canvas, i);
    for (size_t i = 0; i < chart_.curves.size(); ++i) draw_curve(canvas, i);
    for (size_t i = 0; i < chart_.curves.size(); ++i) draw_key(canvas, i);
    draw_notes(canvas);
    return canvas.finish();
  }

 private:
  double height_of(double value) const {
    return frame_.bottom() - kInset - axis_.share(value) * (frame_.height - 2 * kInset);
  }
  double place_of(double share) const {
    return frame_.left + 2 * kInset + share * (frame_.width - 4 * kInset);
  }
  /// Curves stand a little beside each other, so that none hides another's marks.
  double aside(size_t number) const {
    const auto others = static_cast<double>(chart_.curves.size()) - 1;
    const double step = std::min(kMostAside, 2 * kInset / std::max(1.0, others));
    return step * (static_cast<double>(number) - others / 2);
  }
  Point at(size_t number, const ChartPoint& point, double value) const {
    return {place_of(chart_.stops.at(point.stop).place) + aside(number), height_of(value)};
  }

  void draw_values(Canvas& canvas) const {
    const TextStyle style{.font = kChartFont, .ink = Ink::kSoft, .anchor = Anchor::kEnd};
    for (const auto& tick : axis_.ticks) {
      const double y = height_of(tick.value);
      canvas.rule({frame_.left, y}, {frame_.right(), y});
      canvas.text({frame_.left - 7, y + kHalfLetter}, tick.text, style);
    }
    canvas.text({frame_.left, frame_.top - 7}, chart_.y_title,
                {.font = kSmallChartFont, .ink = Ink::kSoft});
  }

  void draw_stops(Canvas& canvas) const {
    const TextStyle style{.font = kChartFont, .ink = Ink::kSoft, .anchor = Anchor::kMiddle};
    double free_from = 0;
    for (const auto& stop : chart_.stops) {
      const double x = place_of(stop.place);
      canvas.rule({x, frame_.bottom()}, {x, frame_.bottom() + 4});
      const auto text = shorten(stop.text, kChartFont, stop_room());
      const double half = text_width(text, kChartFont) / 2;
      // A name that would run into the one before is left out; its tick stays.
      if (x - half < free_from) continue;
      canvas.text({x, frame_.bottom() + 18}, text, style);
      free_from = x + half + 8;
    }
    canvas.text({frame_.middle().x, frame_.bottom() + 40},
                shorten(chart_.x_title, kChartFont, frame_.width),
                {.font = kChartFont, .anchor = Anchor::kMiddle});
  }

  double stop_room() const {
    const auto stops = static_cast<double>(chart_.stops.size());
    return std::max(60.0, (frame_.width - 4 * kInset) / std::max(1.0, stops - 1) - 10);
  }

  /// The paper's numbers lie below ours.
  void draw_paper(Canvas& canvas, size_t number) const {
    const auto& curve = chart_.curves[number];
    std::vector<Point> points;
    for (const auto& point : curve.points) {
      if (!point.value.paper || !std::isfinite(*point.value.paper)) continue;
      points.push_back(at(number, point, *point.value.paper));
      const auto label =
          fmt::format("{}, {}: the paper has {}", curve.name, chart_.stops.at(point.stop).text,
                      plain_number(*point.value.paper));
      canvas.rings({&points.back(), 1}, {number, colours_[number], kPaperRadius, 0.9}, label);
    }
    if (points.size() < 2) return;
    canvas.line(points, {number, colours_[number], 1, 0.45, /*dashed=*/true},
                curve.name + ", as the paper has it");
  }

  void draw_curve(Canvas& canvas, size_t number) const {
    const auto& curve = chart_.curves[number];
    std::vector<Point> line;
    const auto end_line = [&] {
      if (line.size() > 1) canvas.line(line, {number, colours_[number], 2, 1, false}, curve.name);
      line.clear();
    };
    for (const auto& point : curve.points) {
      if (point.value.mean && std::isfinite(*point.value.mean)) {
        line.push_back(at(number, point, *point.value.mean));
      } else {
        end_line();
      }
    }
    end_line();
    for (const auto& point : curve.points) draw_marks(canvas, number, point);
  }

  void draw_marks(Canvas& canvas, size_t number, const ChartPoint& point) const {
    const auto label = fmt::format("{}, {}: {}", chart_.curves[number].name,
                                   chart_.stops.at(point.stop).text, point.value.text);
    std::vector<Point> seeds;
    for (const double seed : point.value.seeds) {
      if (std::isfinite(seed)) seeds.push_back(at(number, point, seed));
    }
    if (seeds.size() > 1) {
      canvas.dots(seeds, {number, colours_[number], kSeedRadius, kSeedOpacity}, label);
    }
    if (!point.value.mean || !std::isfinite(*point.value.mean)) return;
    const auto mean = at(number, point, *point.value.mean);
    canvas.dots({&mean, 1}, {number, colours_[number], kMeanRadius, 1}, label);
  }

  Box key_box(size_t row) const {
    return {frame_.right() + 20, frame_.top + static_cast<double>(row) * kKeyRow,
            width_ - frame_.right() - 20 - kChartMargin + 6, kKeyRow};
  }

  void draw_key(Canvas& canvas, size_t number) const {
    const auto box = key_box(number);
    const double y = box.middle().y;
    const std::vector<Point> stroke = {{box.left + 4, y}, {box.left + 26, y}};
    canvas.begin_key(box, number);
    canvas.line(stroke, {number, colours_[number], 2, 1, false}, chart_.curves[number].name);
    canvas.key_dot({box.left + 15, y}, kMeanRadius, colours_[number]);
    canvas.text({box.left + kKeyText, y + kHalfLetter}, names_[number], {.font = kChartFont});
    canvas.end_key();
  }

  /// What the marks are, in grey below the names.
  void draw_notes(Canvas& canvas) const {
    const auto grey = light_colour(Ink::kSoft);
    const size_t none = chart_.curves.size();
    size_t row = names_.size();
    const auto place = [&](double down) { return key_box(row).middle().y + down; };
    const auto note = [&](const std::string& text) {
      canvas.text({key_box(row).left + kKeyText, place(8) + kHalfLetter}, text,
                  {.font = kSmallChartFont, .ink = Ink::kSoft});
      ++row;
    };
    const auto mark = [&] { return Point{key_box(row).left + 15, place(8)}; };
    const auto mean = mark();
    canvas.dots({&mean, 1}, {none, grey, kMeanRadius, 1}, "mean");
    note(several_seeds_ ? "mean of the seeds" : "one seed");
    if (several_seeds_) {
      const auto seed = mark();
      canvas.dots({&seed, 1}, {none, grey, kSeedRadius, kSeedOpacity}, "seed");
      note("one seed");
    }
    if (!paper_) return;
    const auto ring = mark();
    canvas.rings({&ring, 1}, {none, grey, kPaperRadius, 1}, "paper");
    note("in the paper");
  }

  const LineChart& chart_;
  ValueAxis axis_;
  std::vector<Colour> colours_;
  bool paper_;
  bool several_seeds_;
  std::vector<std::string> names_;
  Box frame_;
  std::optional<ChartHeading> heading_;  // made when the width is known
  double width_ = 0;
  double height_ = 0;
};

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  return LineChartDrawing(chart).draw();
}

}  // namespace projnce
