#include "projnce/report/map/scatter_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/image/image_writer.h"
#include "projnce/io/printable.h"
#include "projnce/report/chart/png_canvas.h"
#include "projnce/report/chart/svg_canvas.h"
#include "projnce/report/page/html_document.h"

namespace projnce::report {

namespace {

constexpr double kMapPixels = 2;  // per drawing unit
/// Style of a map that fills the window.
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
  return io::encode_png(canvas.finish());
}

std::string map_svg(const MapLayout& layout) {
  SvgCanvas canvas(layout.width, layout.height, layout.title);
  draw_map(layout, canvas);
  return canvas.finish();
}

/// Returns the map as an HTML file that supports dark mode; hovering over a class in the legend
/// fades the others.
std::string map_html(const MapLayout& layout) {
  HtmlDocument document(layout.title.empty() ? "map" : layout.title, kMapStyle);
  document.figure(map_svg(layout), "");
  return document.finish();
}

}  // namespace

void check_map_name(const std::filesystem::path& file) {
  if (!io::has_extension(file.native(), {".svg", ".png", ".html"})) {
    fail("the file name of a map must end in .svg, .png or .html, got ",
         io::printable(file.native()));
  }
}

void write_scatter_map(const std::filesystem::path& file, const ScatterMap& map) {
  check_map_name(file);
  const auto layout = lay_out_map(map);
  if (io::has_extension(file.native(), {".png"})) {
    const auto png = map_png(layout);
    io::write_file_atomically(file, std::as_bytes(std::span(png)));
  } else if (io::has_extension(file.native(), {".svg"})) {
    io::write_file_atomically(file, map_svg(layout));
  } else {
    io::write_file_atomically(file, map_html(layout));
  }
}

namespace {

constexpr double kMapMargin = 28;
constexpr double kLongerSide = 800;  // of the frame
constexpr double kLeastShorterSide = 620;
constexpr double kLegendGap = 24;
constexpr size_t kLabeledFrom = 11;  // classes; so many colors are hard to distinguish
constexpr size_t kPieces = 8;        // per class, drawn alternately
constexpr Font kTitleFont = {.size = 20, .bold = true};
constexpr Font kSubtitleFont = {.size = 13};

/// Bounding box of the positions.
struct MapBounds {
  double low_x = std::numeric_limits<double>::infinity();
  double high_x = -std::numeric_limits<double>::infinity();
  double low_y = low_x;
  double high_y = high_x;

  double width() const { return high_x - low_x; }
  double height() const { return high_y - low_y; }
};

MapBounds bounds_of(const ScatterMap& map, const std::vector<MapClass>& classes) {
  MapBounds bounds;
  for (const auto& one : classes) {
    for (const auto sample : one.samples) {
      const double x = map.positions[2 * sample];
      const double y = map.positions[2 * sample + 1];
      bounds.low_x = std::min(bounds.low_x, x);
      bounds.high_x = std::max(bounds.high_x, x);
      bounds.low_y = std::min(bounds.low_y, y);
      bounds.high_y = std::max(bounds.high_y, y);
    }
  }
  return bounds;
}

/// Returns a frame with about the aspect ratio of its contents.
Box frame_for(const MapBounds& bounds, double top) {
  const double longer = std::max(bounds.width(), bounds.height());
  const auto side = [&](double extent) {
    return longer > 0 ? std::max(kLeastShorterSide, std::round(kLongerSide * extent / longer))
                      : kLeastShorterSide;
  };
  return {kMapMargin, top, side(bounds.width()), side(bounds.height())};
}

/// Maps positions to the drawing: same scale for both axes, centered in the frame.
class DrawingPlaces {
 public:
  DrawingPlaces(const MapBounds& bounds, const Box& frame, double inset)
      : middle_(frame.middle()),
        center_{bounds.low_x + bounds.width() / 2, bounds.low_y + bounds.height() / 2} {
    const double across = bounds.width() > 0 ? (frame.width - 2 * inset) / bounds.width() : kAny;
    const double down = bounds.height() > 0 ? (frame.height - 2 * inset) / bounds.height() : kAny;
    scale_ = std::min({across, down, kAny});
  }

  Point operator()(double x, double y) const {
    return {middle_.x + (x - center_.x) * scale_, middle_.y - (y - center_.y) * scale_};
  }

 private:
  static constexpr double kAny = 1e30;  // for an empty extent

  Point middle_;
  Point center_;
  double scale_ = 1;
};

/// Interleaves the pieces of all classes.
std::vector<DotRun> interleave(const ScatterMap& map, const std::vector<MapClass>& classes,
                               const DrawingPlaces& place) {
  std::vector<DotRun> runs;
  for (size_t piece = 0; piece < kPieces; ++piece) {
    for (size_t c = 0; c < classes.size(); ++c) {
      const size_t number = (c + piece * classes.size() / kPieces) % classes.size();
      const auto& samples = classes[number].samples;
      DotRun run{number, {}};
      const size_t end = samples.size() * (piece + 1) / kPieces;
      for (size_t i = samples.size() * piece / kPieces; i < end; ++i) {
        run.points.push_back(
            place(map.positions[2 * samples[i]], map.positions[2 * samples[i] + 1]));
      }
      if (!run.points.empty()) runs.push_back(std::move(run));
    }
  }
  return runs;
}

/// Places class names at their samples; larger classes take precedence.
std::vector<ClusterLabel> label_clusters(const MapLayout& layout) {
  std::vector<std::vector<Point>> points(layout.classes.size());
  for (const auto& run : layout.runs) {
    points[run.number].insert(points[run.number].end(), run.points.begin(), run.points.end());
  }
  std::vector<ClusterName> names;
  for (size_t c = 0; c < layout.classes.size(); ++c) {
    names.push_back({c, layout.classes[c].name, cluster_middle(std::move(points[c]))});
  }
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return layout.classes[a.number].samples.size() > layout.classes[b.number].samples.size();
  });
  return place_labels(names, layout.label_font, layout.frame);
}

std::vector<LegendEntry> legend_entries(const std::vector<MapClass>& classes) {
  std::vector<LegendEntry> entries;
  for (size_t c = 0; c < classes.size(); ++c) {
    entries.push_back({c, classes[c].name, static_cast<int64_t>(classes[c].samples.size())});
  }
  return entries;
}

/// Returns the subtitle, with the number of omitted samples if there are any.
std::string subtitle_of(const ScatterMap& map, size_t shown) {
  auto text = display_name(map.subtitle);
  const size_t lost = map.positions.size() / 2 - shown;
  if (lost == 0) return text;
  return concat(text, text.empty() ? "" : "; ", grouped(static_cast<int64_t>(lost)),
                lost == 1 ? " sample" : " samples", " without a finite position omitted");
}

/// Adds a heading line. Returns the y coordinate below it.
double add_heading(MapLayout& layout, const std::string& text, const TextStyle& style, double top) {
  if (text.empty()) return top;
  const double base = top + style.font.size;
  layout.heading.push_back({text, {kMapMargin, base}, style});
  return base + style.font.size * 0.55;
}

/// Chooses dot size and opacity: few dots are large, many are small and translucent.
void choose_dots(MapLayout& layout, size_t samples) {
  const double hundreds = static_cast<double>(samples) / 100;
  layout.radius = std::clamp(4.6 * std::pow(hundreds, -0.18), 0.9, 5.5);
  layout.opacity = std::clamp(0.88 - 0.085 * std::log10(hundreds), 0.5, 0.9);
}

}  // namespace

MapLayout lay_out_map(const ScatterMap& map) {
  MapLayout layout;
  layout.title = display_name(map.title);
  layout.classes = find_map_classes(map);
  size_t shown = 0;
  for (const auto& one : layout.classes) shown += one.samples.size();

  double top = add_heading(layout, layout.title, {.font = kTitleFont}, kMapMargin);
  top =
      add_heading(layout, subtitle_of(map, shown), {.font = kSubtitleFont, .ink = Ink::kSoft}, top);
  const auto bounds = bounds_of(map, layout.classes);
  layout.frame = frame_for(bounds, std::round(top + (layout.heading.empty() ? 0 : 10)));
  choose_dots(layout, shown);
  layout.runs =
      interleave(map, layout.classes, DrawingPlaces(bounds, layout.frame, layout.radius + 14));

  layout.width = layout.frame.right() + kMapMargin;
  layout.height = layout.frame.bottom() + kMapMargin;
  if (!map.labels.empty()) {
    layout.legend =
        lay_out_legend(legend_entries(layout.classes),
                       {layout.frame.right() + kLegendGap, layout.frame.top}, layout.frame.height);
    layout.width = std::ceil(layout.legend.box.right() + kMapMargin);
    layout.height = std::max(layout.height, std::ceil(layout.legend.box.bottom() + kMapMargin));
  }
  if (layout.classes.size() >= kLabeledFrom) {
    layout.label_font = {.size = layout.classes.size() > 20 ? 10.0 : 12.0, .bold = true};
    layout.labels = label_clusters(layout);
  }
  for (auto& line : layout.heading) {
    line.text = shorten(line.text, line.style.font, layout.width - 2 * kMapMargin);
  }
  return layout;
}

void draw_map(const MapLayout& layout, Canvas& canvas) {
  for (const auto& line : layout.heading) canvas.text(line.at, line.text, line.style);
  canvas.panel(layout.frame);
  for (const auto& run : layout.runs) {
    const auto& one = layout.classes[run.number];
    canvas.dots(run.points, {run.number, one.color, layout.radius, layout.opacity}, one.name);
  }
  const TextStyle label{.font = layout.label_font, .anchor = Anchor::kMiddle, .halo = true};
  for (const auto& name : layout.labels) canvas.mark_text(name.at, name.text, label, name.number);

  const auto& legend = layout.legend;
  const TextStyle name{.font = legend.font};
  const TextStyle count{.font = legend.font, .ink = Ink::kSoft, .anchor = Anchor::kEnd};
  for (const auto& line : legend.lines) {
    const auto& one = layout.classes[line.number];
    canvas.begin_key(line.box, line.number);
    canvas.key_dot(line.dot, legend.dot_radius, one.color);
    canvas.text(line.name, line.name_text, name);
    if (!line.count_text.empty()) canvas.text(line.count, line.count_text, count);
    canvas.end_key();
  }
  if (!legend.more.empty())
    canvas.text(legend.more_at, legend.more, {.font = legend.font, .ink = Ink::kSoft});
}

}  // namespace projnce::report
