#include "projnce/reproduce/dot_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projnce/report/svg_canvas.h"
#include "projnce/reproduce/chart_axis.h"

namespace projnce {

namespace {

constexpr size_t kPanelsInALine = 3;
constexpr double kRowHeight = 26;
constexpr double kPanelInset = 14;
constexpr double kPanelTitle = 26;  // above a panel
constexpr double kBelowPanel = 46;  // its axis and a gap
constexpr double kPanelGap = 18;
constexpr double kWidestMethod = 210;
constexpr double kTickHeight = 15;  // of a mean
constexpr double kSeedDot = 3;
constexpr double kPaperRing = 4.5;

double panel_width(size_t in_a_line) {
  if (in_a_line == 1) return 520;
  return in_a_line == 2 ? 330 : 250;
}

class DotChartDrawing {
 public:
  explicit DotChartDrawing(const DotChart& chart)
      : chart_(chart),
        colours_(class_colours(chart.rows.size())),
        in_a_line_(std::min(kPanelsInALine, chart.panels.size())) {
    double name_width = 0;
    for (const auto& row : chart.rows) {
      names_.push_back(shorten(row, kChartFont, kWidestMethod));
      name_width = std::max(name_width, text_width(names_.back(), kChartFont));
    }
    double text_room = 0;
    for (const auto& panel : chart.panels) {
      paper_ = paper_ || has_paper(panel.values);
      for (const auto& value : panel.values) {
        text_room = std::max(text_room, text_width(value.text, kSmallChartFont));
      }
    }
    panel_left_ = std::round(kChartMargin + name_width + 10);
    panel_step_ = std::ceil(panel_width(in_a_line_) + 8 + text_room + kPanelGap);
    panel_height_ = static_cast<double>(chart.rows.size()) * kRowHeight + 10;
    line_step_ = kPanelTitle + panel_height_ + kBelowPanel;
    const auto lines = (chart.panels.size() + in_a_line_ - 1) / in_a_line_;
    width_ = panel_left_ + static_cast<double>(in_a_line_) * panel_step_ - kPanelGap + kChartMargin;
    heading_.emplace(chart.title, chart.subtitle, width_);
    height_ = heading_->bottom() + static_cast<double>(lines) * line_step_ + 30;
  }

  std::string draw() {
    SvgCanvas canvas(width_, height_, chart_.title);
    heading_->draw(canvas);
    for (size_t i = 0; i < chart_.panels.size(); ++i) draw_panel(canvas, i);
    draw_notes(canvas);
    return canvas.finish();
  }

 private:
  Box panel_box(size_t number) const {
    const auto across = static_cast<double>(number % in_a_line_);
    const auto down = static_cast<double>(number / in_a_line_);
    return {panel_left_ + across * panel_step_,
            heading_->bottom() + kPanelTitle + down * line_step_ - 6, panel_width(in_a_line_),
            panel_height_};
  }

  void draw_panel(Canvas& canvas, size_t number) const {
    const auto& panel = chart_.panels[number];
    const auto box = panel_box(number);
    const auto axis = value_axis(chart_numbers(panel.values), in_a_line_ == 1 ? 8 : 4);
    constexpr Font kTitle = {.size = 12.5, .bold = true};
    canvas.text({box.left, box.top - 8}, shorten(panel.title, kTitle, panel_step_ - kPanelGap),
                {.font = kTitle});
    canvas.panel(box);
    draw_axis(canvas, axis, box);
    for (size_t row = 0; row < chart_.rows.size(); ++row) {
      const double y = box.top + 5 + (static_cast<double>(row) + 0.5) * kRowHeight;
      if (number % in_a_line_ == 0) {
        canvas.text({box.left - 10, y + kHalfLetter}, names_[row],
                    {.font = kChartFont, .anchor = Anchor::kEnd});
      }
      draw_value(canvas, panel, row, axis, {box.left, y, box.width, 0});
    }
  }

  static double across(const ValueAxis& axis, const Box& box, double value) {
    return box.left + kPanelInset + axis.share(value) * (box.width - 2 * kPanelInset);
  }

  void draw_axis(Canvas& canvas, const ValueAxis& axis, const Box& box) const {
    const TextStyle style{.font = kSmallChartFont, .ink = Ink::kSoft, .anchor = Anchor::kMiddle};
    for (const auto& tick : axis.ticks) {
      const double x = across(axis, box, tick.value);
      canvas.rule({x, box.top}, {x, box.bottom()});
      canvas.text({x, box.bottom() + 16}, tick.text, style);
    }
  }

  /// `line` is the row's place, without a height.
  void draw_value(Canvas& canvas, const DotPanel& panel, size_t row, const ValueAxis& axis,
                  const Box& line) const {
    const auto& value = panel.values.at(row);
    const auto place = [&](double number) { return Point{across(axis, line, number), line.top}; };
    const auto of = chart_.rows[row] + (panel.title.empty() ? "" : ", " + panel.title);
    const auto label = fmt::format("{}: {}", of, value.text);
    if (value.paper && std::isfinite(*value.paper)) {
      const auto paper = place(*value.paper);
      canvas.rings({&paper, 1}, {row, colours_[row], kPaperRing, 0.9},
                   fmt::format("{}: the paper has {}", of, plain_number(*value.paper)));
    }
    std::vector<Point> seeds;
    for (const double seed : value.seeds) {
      if (std::isfinite(seed)) seeds.push_back(place(seed));
    }
    if (!seeds.empty()) canvas.dots(seeds, {row, colours_[row], kSeedDot, 0.5}, label);
    if (value.mean && std::isfinite(*value.mean)) draw_mean(canvas, row, place(*value.mean), label);
    canvas.text({line.right() + 8, line.top + kHalfLetter}, value.text,
                {.font = kSmallChartFont, .ink = Ink::kSoft});
  }

  void draw_mean(Canvas& canvas, size_t row, const Point& at, const std::string& label) const {
    const std::vector<Point> tick = {{at.x, at.y - kTickHeight / 2},
                                     {at.x, at.y + kTickHeight / 2}};
    canvas.line(tick, {row, colours_[row], 3, 1, false}, label);
  }

  /// What the marks are, in grey in the last line, and what the axes are of.
  void draw_notes(Canvas& canvas) const {
    const auto grey = light_colour(Ink::kSoft);
    const size_t none = chart_.rows.size();
    const double y = height_ - kChartMargin - 4;
    double x = panel_left_;
    const auto note = [&](const std::string& text) {
      canvas.text({x + 10, y + kHalfLetter}, text, {.font = kSmallChartFont, .ink = Ink::kSoft});
      x += 10 + text_width(text, kSmallChartFont) + 24;
    };
    const std::vector<Point> tick = {{x, y - kTickHeight / 2}, {x, y + kTickHeight / 2}};
    canvas.line(tick, {none, grey, 3, 1, false}, "mean");
    note("mean");
    const Point seed{x, y};
    canvas.dots({&seed, 1}, {none, grey, kSeedDot, 0.5}, "seed");
    note("one seed");
    if (paper_) {
      const Point ring{x, y};
      canvas.rings({&ring, 1}, {none, grey, kPaperRing, 1}, "paper");
      note("in the paper");
    }
    canvas.text({x, y + kHalfLetter}, chart_.x_title, {.font = kSmallChartFont, .ink = Ink::kSoft});
  }

  const DotChart& chart_;
  std::vector<Colour> colours_;
  size_t in_a_line_;
  std::vector<std::string> names_;
  std::optional<ChartHeading> heading_;  // made when the width is known
  bool paper_ = false;
  double panel_left_ = 0;
  double panel_step_ = 0;
  double panel_height_ = 0;
  double line_step_ = 0;
  double width_ = 0;
  double height_ = 0;
};

}  // namespace

std::string dot_chart_svg(const DotChart& chart) {
  return DotChartDrawing(chart).draw();
}

}  // namespace projnce
