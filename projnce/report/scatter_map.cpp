#include "projnce/report/scatter_map.h"

#include "projnce/core/error.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/png_writer.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"
#include "projnce/report/html_document.h"
#include "projnce/report/map_layout.h"
#include "projnce/report/png_canvas.h"
#include "projnce/report/svg_canvas.h"

namespace projnce {

namespace {

constexpr double kMapPixels = 2;  // a side, for each unit of the drawing
/// The map fills the window.
constexpr std::string_view kMapStyle = R"(
body { max-width: none; padding: 0; min-height: 100vh; display: grid; place-items: center; }
.chart { margin: 0; border: 0; background: none; }
.chart svg { max-height: 100vh; }
.chart .ground { fill: var(--ground); }
@media (prefers-color-scheme: dark) { .chart path.mark { stroke-opacity: .92; } }
)";

std::vector<uint8_t> map_png(const MapLayout& layout) {
  PngCanvas canvas(layout.width, layout.height, kMapPixels);
  draw_map(layout, canvas);
  return encode_png(canvas.finish());
}

std::string map_svg(const MapLayout& layout) {
  SvgCanvas canvas(layout.width, layout.height, layout.title);
  draw_map(layout, canvas);
  return canvas.finish();
}

/// The map as an HTML file: dark if the reader prefers that, and pointing at a class in the legend
/// fades the others.
std::string map_html(const MapLayout& layout) {
  HtmlDocument document(layout.title.empty() ? "map" : layout.title, kMapStyle);
  document.figure(map_svg(layout), "");
  return document.finish();
}

}  // namespace

void check_map_name(const std::filesystem::path& file) {
  if (!has_extension(file.native(), {".svg", ".png", ".html"})) {
    fail("a map is an .svg, a .png or an .html file, not ", printable(file.native()));
  }
}

void write_scatter_map(const std::filesystem::path& file, const ScatterMap& map) {
  check_map_name(file);
  const auto layout = lay_out_map(map);
  if (has_extension(file.native(), {".png"})) {
    const auto png = map_png(layout);
    write_file_atomically(file, std::as_bytes(std::span(png)));
  } else if (has_extension(file.native(), {".svg"})) {
    write_file_atomically(file, map_svg(layout));
  } else {
    write_file_atomically(file, map_html(layout));
  }
}

}  // namespace projnce
