#include "projnce/report/chart/svg_canvas.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "projnce/io/printable.h"

namespace projnce::report {

namespace {

/// Appends a number with at most one decimal place; smaller differences are invisible on a screen.
void append_tenths(std::string& out, double value) {
  const auto tenths = std::llround(value * 10);
  fmt::format_to(std::back_inserter(out), "{}{}", tenths < 0 ? "-" : "", std::llabs(tenths) / 10);
  if (tenths % 10 != 0) fmt::format_to(std::back_inserter(out), ".{}", std::llabs(tenths) % 10);
}

std::string tenths(double value) {
  std::string out;
  append_tenths(out, value);
  return out;
}

std::string box_attributes(const Box& box) {
  return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", tenths(box.left), tenths(box.top),
                     tenths(box.width), tenths(box.height));
}

std::string_view ink_class(Ink ink) {
  constexpr std::array<std::string_view, 7> kClasses = {"text",   "soft",  "line",  "panel",
                                                        "ground", "found", "missed"};
  return kClasses.at(static_cast<size_t>(ink));
}

std::string_view anchor_attribute(Anchor anchor) {
  switch (anchor) {
    case Anchor::kMiddle:
      return R"( text-anchor="middle")";
    case Anchor::kEnd:
      return R"( text-anchor="end")";
    case Anchor::kStart:
      break;
  }
  return "";
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view title)
    : svg_(fmt::format(
          R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}")"
          R"( viewBox="0 0 {0} {1}" font-family="'DejaVu Sans', Verdana, Geneva, sans-serif")"
          R"( role="figure" aria-label="{2}">)"
          "\n"
          R"(<rect class="ground" width="{0}" height="{1}" fill="{3}"/>)"
          "\n",
          tenths(width), tenths(height), io::escape_html(title), hex(light_color(Ink::kGround)))) {}

void SvgCanvas::panel(const Box& box) {
  svg_ +=
      fmt::format("<rect class=\"panel\" {} rx=\"6\" fill=\"{}\" stroke=\"{}\"/>\n",
                  box_attributes(box), hex(light_color(Ink::kPanel)), hex(light_color(Ink::kLine)));
}

void SvgCanvas::dots(std::span<const Point> points, const MarkStyle& style, std::string_view name) {
  // Zero-length lines with round caps: the shortest encoding of many dots of one color.
  svg_ += fmt::format(R"(<path class="mark c{}" fill="none" stroke="{}" stroke-width="{:.2f}")"
                      R"( stroke-opacity="{:.2f}" stroke-linecap="round" d=")",
                      style.number, hex(style.color), 2 * style.radius, style.opacity);
  for (const auto& point : points) {
    svg_ += 'M';
    append_tenths(svg_, point.x);
    svg_ += ' ';
    append_tenths(svg_, point.y);
    svg_ += "h0";
  }
  svg_ += fmt::format("\"><title>{}</title></path>\n", io::escape_html(name));
}

void SvgCanvas::rings(std::span<const Point> points, const MarkStyle& style,
                      std::string_view name) {
  svg_ += fmt::format(R"(<g class="mark c{}" fill="none" stroke="{}" stroke-width="{}")"
                      R"( stroke-opacity="{:.2f}"><title>{}</title>)",
                      style.number, hex(style.color), tenths(kRingWidth), style.opacity,
                      io::escape_html(name));
  for (const auto& point : points) {
    svg_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}"/>)", tenths(point.x), tenths(point.y),
                        tenths(style.radius));
  }
  svg_ += "</g>\n";
}

void SvgCanvas::line(std::span<const Point> points, const LineStyle& style, std::string_view name) {
  svg_ += fmt::format(R"(<polyline class="mark c{}" fill="none" stroke="{}" stroke-width="{}")"
                      R"( stroke-opacity="{:.2f}" stroke-linejoin="round"{} points=")",
                      style.number, hex(style.color), tenths(style.width), style.opacity,
                      style.dashed ? R"( stroke-dasharray="4 3")" : "");
  for (size_t i = 0; i < points.size(); ++i) {
    svg_ += fmt::format("{}{},{}", i == 0 ? "" : " ", tenths(points[i].x), tenths(points[i].y));
  }
  svg_ += fmt::format("\"><title>{}</title></polyline>\n", io::escape_html(name));
}

void SvgCanvas::rule(const Point& from, const Point& to) {
  svg_ += fmt::format(R"(<line class="rule" x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}"/>)"
                      "\n",
                      tenths(from.x), tenths(from.y), tenths(to.x), tenths(to.y),
                      hex(light_color(Ink::kLine)));
}

void SvgCanvas::add_text(const Point& at, std::string_view text, const TextStyle& style,
                         std::string_view extra_class) {
  svg_ +=
      fmt::format(R"(<text class="{}{}{}" x="{}" y="{}" font-size="{}" fill="{}"{}{})",
                  ink_class(style.ink), style.halo ? " halo" : "", extra_class, tenths(at.x),
                  tenths(at.y), tenths(style.font.size), hex(light_color(style.ink)),
                  style.font.bold ? R"( font-weight="bold")" : "", anchor_attribute(style.anchor));
  if (style.halo) {
    svg_ +=
        fmt::format(R"( stroke="{}" stroke-width="3" stroke-linejoin="round" paint-order="stroke")",
                    hex(light_color(Ink::kPanel)));
  }
  svg_ += fmt::format(">{}</text>\n", io::escape_html(text));
}

void SvgCanvas::text(const Point& at, std::string_view text, const TextStyle& style) {
  add_text(at, text, style, "");
}

void SvgCanvas::mark_text(const Point& at, std::string_view text, const TextStyle& style,
                          size_t number) {
  add_text(at, text, style, fmt::format(" mark c{}", number));
}

void SvgCanvas::begin_key(const Box& box, size_t number) {
  svg_ += fmt::format("<g class=\"key k{}\" tabindex=\"0\"><rect {} rx=\"4\" fill=\"none\"/>\n",
                      number, box_attributes(box));
}

void SvgCanvas::key_dot(const Point& at, double radius, const Color& color) {
  svg_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", tenths(at.x),
                      tenths(at.y), tenths(radius), hex(color));
}

void SvgCanvas::end_key() {
  svg_ += "</g>\n";
}

std::string SvgCanvas::finish() {
  return std::move(svg_) + "</svg>\n";
}

}  // namespace projnce::report
