#include "projnce/report/chart/png_canvas.h"

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "projnce/core/error.h"

namespace projnce::report {

namespace {

constexpr double kPanelRadius = 6;
constexpr double kFullTurn = 2 * std::numbers::pi;

/// Converts a pixel to cairo's format: one word with blue in the lowest byte.
uint32_t cairo_pixel(const uint8_t* rgba) {
  if (rgba[3] == 0) return 0;
  return 0xFF000000U | uint32_t{rgba[0]} << 16 | uint32_t{rgba[1]} << 8 | rgba[2];
}

void rounded_box(cairo_t* cairo, const Box& box, double radius) {
  constexpr double kQuarter = kFullTurn / 4;
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, box.right() - radius, box.top + radius, radius, -kQuarter, 0);
  cairo_arc(cairo, box.right() - radius, box.bottom() - radius, radius, 0, kQuarter);
  cairo_arc(cairo, box.left + radius, box.bottom() - radius, radius, kQuarter, 2 * kQuarter);
  cairo_arc(cairo, box.left + radius, box.top + radius, radius, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cairo);
}

}  // namespace

void choose_font(cairo_t* cairo, const Font& font) {
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo, options);
  cairo_font_options_destroy(options);
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, font.size);
}

PngCanvas::PngCanvas(double width, double height, double scale)
    : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                          static_cast<int>(std::lround(width * scale)),
                                          static_cast<int>(std::lround(height * scale)))),
      cairo_(cairo_create(surface_.get())) {
  set_color(light_color(Ink::kGround));
  cairo_paint(cairo_.get());
  cairo_scale(cairo_.get(), scale, scale);
}

void PngCanvas::set_color(const Color& color, double opacity) {
  cairo_set_source_rgba(cairo_.get(), color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                        opacity);
}

void PngCanvas::panel(const Box& box) {
  rounded_box(cairo_.get(), box, kPanelRadius);
  set_color(light_color(Ink::kPanel));
  cairo_fill_preserve(cairo_.get());
  set_color(light_color(Ink::kLine));
  cairo_set_line_width(cairo_.get(), 1);
  cairo_stroke(cairo_.get());
}

void PngCanvas::dots(std::span<const Point> points, const MarkStyle& style,
                     std::string_view /*name*/) {
  set_color(style.color, style.opacity);
  for (const auto& point : points) {
    cairo_arc(cairo_.get(), point.x, point.y, style.radius, 0, kFullTurn);
    cairo_fill(cairo_.get());
  }
}

void PngCanvas::rings(std::span<const Point> points, const MarkStyle& style,
                      std::string_view /*name*/) {
  set_color(style.color, style.opacity);
  cairo_set_line_width(cairo_.get(), kRingWidth);
  for (const auto& point : points) {
    cairo_arc(cairo_.get(), point.x, point.y, style.radius, 0, kFullTurn);
    cairo_stroke(cairo_.get());
  }
}

void PngCanvas::line(std::span<const Point> points, const LineStyle& style,
                     std::string_view /*name*/) {
  constexpr std::array<double, 2> kDashes = {4, 3};
  for (const auto& point : points) cairo_line_to(cairo_.get(), point.x, point.y);
  set_color(style.color, style.opacity);
  cairo_set_line_width(cairo_.get(), style.width);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cairo_.get(), kDashes.data(), style.dashed ? 2 : 0, 0);
  cairo_stroke(cairo_.get());
  cairo_set_dash(cairo_.get(), nullptr, 0, 0);
}

void PngCanvas::rule(const Point& from, const Point& to) {
  const std::array<Point, 2> ends = {from, to};
  line(ends, {.color = light_color(Ink::kLine), .width = 1}, "");
}

void PngCanvas::text(const Point& at, std::string_view text, const TextStyle& style) {
  const double width = style.anchor == Anchor::kStart ? 0 : text_width(text, style.font);
  const double left = at.x - (style.anchor == Anchor::kMiddle ? width / 2 : width);
  const std::string line(text);
  choose_font(cairo_.get(), style.font);
  if (style.halo) {
    cairo_move_to(cairo_.get(), left, at.y);
    cairo_text_path(cairo_.get(), line.c_str());
    set_color(light_color(Ink::kPanel));
    cairo_set_line_width(cairo_.get(), 3);
    cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(cairo_.get());
  }
  cairo_move_to(cairo_.get(), left, at.y);
  set_color(light_color(style.ink));
  cairo_show_text(cairo_.get(), line.c_str());
  cairo_new_path(cairo_.get());
}

void PngCanvas::mark_text(const Point& at, std::string_view line, const TextStyle& style,
                          size_t /*number*/) {
  text(at, line, style);
}

void PngCanvas::key_dot(const Point& at, double radius, const Color& color) {
  dots({&at, 1}, {.color = color, .radius = radius}, "");
}

void PngCanvas::image(const Image& image, const Box& box) {
  const std::unique_ptr<cairo_surface_t, Free> pixels(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width, image.height));
  auto* rows = cairo_image_surface_get_data(pixels.get());
  if (rows == nullptr) fail_runtime("cairo: out of memory for an image");
  const auto stride = static_cast<size_t>(cairo_image_surface_get_stride(pixels.get()));
  const auto* from = image.pixels.data();
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x, from += 4) {
      const auto word = cairo_pixel(from);
      std::memcpy(rows + static_cast<size_t>(y) * stride + static_cast<size_t>(x) * 4, &word, 4);
    }
  }
  cairo_surface_mark_dirty(pixels.get());
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), box.left, box.top);
  cairo_scale(cairo_.get(), box.width / image.width, box.height / image.height);
  cairo_set_source_surface(cairo_.get(), pixels.get(), 0, 0);
  cairo_paint(cairo_.get());
  cairo_restore(cairo_.get());
}

void PngCanvas::cell(const Box& box, const Color& color, double opacity) {
  set_color(color, opacity);
  cairo_rectangle(cairo_.get(), box.left, box.top, box.width, box.height);
  cairo_fill(cairo_.get());
}

void PngCanvas::upright_text(const Point& at, std::string_view line, const TextStyle& style) {
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), at.x, at.y);
  cairo_rotate(cairo_.get(), -kFullTurn / 4);
  text({0, 0}, line, style);
  cairo_restore(cairo_.get());
}

Image PngCanvas::finish() {
  const auto status = cairo_status(cairo_.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    fail_runtime("cairo cannot draw the image: ", cairo_status_to_string(status));
  }
  cairo_surface_flush(surface_.get());
  Image image{cairo_image_surface_get_height(surface_.get()),
              cairo_image_surface_get_width(surface_.get()),
              3,
              {}};
  image.pixels.reserve(static_cast<size_t>(image.height) * static_cast<size_t>(image.width) * 3);
  const auto* rows = cairo_image_surface_get_data(surface_.get());
  const auto stride = static_cast<size_t>(cairo_image_surface_get_stride(surface_.get()));
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      uint32_t word = 0;
      std::memcpy(&word, rows + static_cast<size_t>(y) * stride + static_cast<size_t>(x) * 4, 4);
      for (const int shift : {16, 8, 0}) {
        image.pixels.push_back(static_cast<uint8_t>(word >> shift & 0xFFU));
      }
    }
  }
  return image;
}

}  // namespace projnce::report
