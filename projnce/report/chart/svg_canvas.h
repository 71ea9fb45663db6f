#pragma once

#include <string>

#include "projnce/report/chart/canvas.h"

namespace projnce::report {

/// Canvas that writes an SVG element. Colors are attributes, so the element is self-contained; CSS
/// classes name the role (`text`, `soft`, `panel`, `mark c3` and its `key k3`), so that a report
/// can override the colors.
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, std::string_view title);

  void panel(const Box& box) override;
  void dots(std::span<const Point> points, const MarkStyle& style, std::string_view name) override;
  void rings(std::span<const Point> points, const MarkStyle& style, std::string_view name) override;
  void line(std::span<const Point> points, const LineStyle& style, std::string_view name) override;
  void rule(const Point& from, const Point& to) override;
  void text(const Point& at, std::string_view text, const TextStyle& style) override;
  void mark_text(const Point& at, std::string_view text, const TextStyle& style,
                 size_t number) override;
  void begin_key(const Box& box, size_t number) override;
  void key_dot(const Point& at, double radius, const Color& color) override;
  void end_key() override;

  /// Returns the complete element. Call once, at the end.
  std::string finish();

 private:
  void add_text(const Point& at, std::string_view text, const TextStyle& style,
                std::string_view extra_class);

  std::string svg_;
};

}  // namespace projnce::report
