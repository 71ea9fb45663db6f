#include "projnce/report/map_page.h"

#include <fmt/format.h>

#include "projnce/io/html.h"
#include "projnce/report/svg_canvas.h"

namespace projnce {

namespace {

constexpr std::string_view kMapStyle = R"(
body { max-width: none; padding: 0; min-height: 100vh; display: grid; place-items: center; }
svg { display: block; max-width: 100%; max-height: 100vh; height: auto; }
svg .ground { fill: var(--ground); }
svg .panel { fill: var(--panel); stroke: var(--line); }
svg .text { fill: var(--text); }
svg .soft { fill: var(--soft); }
svg .halo { stroke: var(--panel); }
.mark { transition: opacity .12s; }
text.mark { pointer-events: none; }
.key { cursor: default; outline: none; }
.key rect { pointer-events: all; }
@media (prefers-color-scheme: dark) { svg path.mark { stroke-opacity: .92; } }
.key:is(:hover, :focus-visible) rect { fill: var(--line); }
)";

/// A rule for each class of the legend: while it is pointed at, the others fade.
std::string fading_rules(const Legend& legend) {
  std::string rules;
  for (const auto& line : legend.lines) {
    rules += fmt::format(
        "svg:has(.k{0}:is(:hover, :focus-visible)) .mark:not(.c{0}) {{ opacity: .06; }}\n",
        line.number);
  }
  return rules;
}

}  // namespace

std::string map_page(const MapLayout& layout) {
  SvgCanvas canvas(layout.width, layout.height, layout.title);
  draw_map(layout, canvas);
  auto html = html_start(layout.title.empty() ? "map" : layout.title,
                         std::string(kMapStyle) + fading_rules(layout.legend));
  html += canvas.finish();
  html += kHtmlEnd;
  return html;
}

}  // namespace projnce
