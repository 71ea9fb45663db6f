#pragma once

#include <cairo.h>

#include <memory>

#include "projnce/core/sample.h"
#include "projnce/report/chart/canvas.h"

namespace projnce::report {

/// Raster canvas with `scale` x `scale` pixels per unit.
class PngCanvas : public Canvas {
 public:
  PngCanvas(double width, double height, double scale);

  void panel(const Box& box) override;
  void dots(std::span<const Point> points, const MarkStyle& style, std::string_view name) override;
  void rings(std::span<const Point> points, const MarkStyle& style, std::string_view name) override;
  void line(std::span<const Point> points, const LineStyle& style, std::string_view name) override;
  void rule(const Point& from, const Point& to) override;
  void text(const Point& at, std::string_view text, const TextStyle& style) override;
  void mark_text(const Point& at, std::string_view text, const TextStyle& style,
                 size_t number) override;
  void begin_key(const Box& /*box*/, size_t /*number*/) override {}
  void key_dot(const Point& at, double radius, const Color& color) override;
  void end_key() override {}

  /// Draws an RGBA image, whose pixels are opaque or fully transparent, scaled to the box.
  void image(const Image& image, const Box& box);
  /// Draws a filled box without a border.
  void cell(const Box& box, const Color& color, double opacity);
  /// Draws text rotated by 90 degrees, reading upwards; `at` is on the baseline at its anchor.
  void upright_text(const Point& at, std::string_view text, const TextStyle& style);

  /// Returns the RGB image. Throws if cairo failed.
  Image finish();

 private:
  struct Free {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  };

  void set_color(const Color& color, double opacity = 1);

  std::unique_ptr<cairo_surface_t, Free> surface_;
  std::unique_ptr<cairo_t, Free> cairo_;
};

/// Selects the font with unhinted metrics, so that widths scale linearly at every resolution.
void choose_font(cairo_t* cairo, const Font& font);

}  // namespace projnce::report
