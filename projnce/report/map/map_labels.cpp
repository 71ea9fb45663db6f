#include "projnce/report/map/map_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/report/chart/canvas.h"
#include "projnce/report/map/scatter_map.h"

namespace projnce::report {

namespace {

constexpr size_t kLastingColors = 20;
constexpr uint64_t kShuffleSeed = 1;

std::string class_name_of(const ScatterMap& map, int64_t label) {
  if (map.labels.empty()) return "all samples";
  if (map.class_names.empty()) return std::to_string(label);
  return display_name(map.class_names[static_cast<size_t>(label)]);
}

void check_map(const ScatterMap& map) {
  const size_t samples = map.positions.size() / 2;
  if (map.positions.empty()) fail("a map needs at least one sample, got 0");
  if (map.positions.size() % 2 != 0) {
    fail("a map needs two numbers for each sample, got ", map.positions.size(), " numbers");
  }
  if (map.labels.empty()) return;
  if (map.labels.size() != samples) {
    fail("a map needs a label for each sample, got ", map.labels.size(), " labels for ", samples,
         " samples");
  }
  if (map.class_names.empty()) return;
  const auto names = static_cast<int64_t>(map.class_names.size());
  for (const auto label : map.labels) {
    if (label < 0 || label >= names) {
      fail("label ", label, " of a map has no class name, expected 0 to ", names - 1);
    }
  }
}

}  // namespace

std::vector<MapClass> find_map_classes(const ScatterMap& map) {
  check_map(map);
  std::map<int64_t, std::vector<size_t>> by_label;
  for (size_t i = 0; i < map.positions.size() / 2; ++i) {
    const bool finite =
        std::isfinite(map.positions[2 * i]) && std::isfinite(map.positions[2 * i + 1]);
    if (finite) by_label[map.labels.empty() ? 0 : map.labels[i]].push_back(i);
  }
  if (by_label.empty()) fail("a map needs at least one sample with a finite position");

  const size_t named = map.labels.empty() ? 0 : map.class_names.size();
  const bool lasting = named > 0 && named <= kLastingColors;
  const auto colors = class_colors(lasting ? named : by_label.size());
  std::vector<MapClass> classes;
  for (auto& [label, samples] : by_label) {
    Random(derive_seed(kShuffleSeed, classes.size())).shuffle(samples);
    classes.push_back({class_name_of(map, label),
                       colors[lasting ? static_cast<size_t>(label) : classes.size()],
                       std::move(samples)});
  }
  return classes;
}

namespace {

constexpr double kWidestLabel = 9.5;  // in multiples of the font size
constexpr double kLabelMargin = 5;    // to the frame
constexpr double kFarthestStep = 3;   // in label heights, up or down

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double squared_distance(const Point& a, const Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/// Moves the box into the frame.
Box moved_inside(Box box, const Box& frame) {
  box.left =
      std::clamp(box.left, frame.left + kLabelMargin,
                 std::max(frame.left + kLabelMargin, frame.right() - kLabelMargin - box.width));
  box.top =
      std::clamp(box.top, frame.top + kLabelMargin,
                 std::max(frame.top + kLabelMargin, frame.bottom() - kLabelMargin - box.height));
  return box;
}

/// Candidate positions of a label, best first: its center, then shifted up, down and sideways.
std::vector<Box> places_near(const Box& wish, const Box& frame) {
  std::vector<Box> places;
  for (double step = 0; step <= kFarthestStep; step += 0.5) {
    for (const double up : {-step, step}) {
      for (const double aside : {0.0, -0.25, 0.25, -0.5, 0.5}) {
        if (step == 0 && aside != 0) continue;
        Box moved = wish;
        moved.top += up * wish.height;
        moved.left += aside * wish.width;
        places.push_back(moved_inside(moved, frame));
      }
    }
  }
  return places;
}

}  // namespace

Point cluster_middle(std::vector<Point> points) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const auto& point : points) {
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  const Point median{middle_of(std::move(xs)), middle_of(std::move(ys))};
  return *std::min_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return squared_distance(a, median) < squared_distance(b, median);
  });
}

std::vector<ClusterLabel> place_labels(const std::vector<ClusterName>& names, const Font& font,
                                       const Box& frame) {
  std::vector<ClusterLabel> labels;
  for (const auto& name : names) {
    const auto text = shorten(name.name, font, kWidestLabel * font.size);
    const double width = text_width(text, font) + 4;
    const double height = font.size * 1.15;
    const Box wish{name.at.x - width / 2, name.at.y - height / 2, width, height};
    const auto places = places_near(wish, frame);
    const auto free = std::find_if(places.begin(), places.end(), [&](const Box& place) {
      return std::none_of(labels.begin(), labels.end(),
                          [&](const auto& label) { return label.box.overlaps(place); });
    });
    if (free == places.end()) continue;
    labels.push_back(
        {name.number, text, *free, {free->middle().x, free->middle().y + font.size * 0.36}});
  }
  return labels;
}

namespace {

constexpr size_t kCountedClasses = 20;
constexpr size_t kMostColumns = 4;
constexpr double kColumnGap = 14;
constexpr double kCountGap = 18;

/// Sizes of a legend.
struct LegendScale {
  double font;
  double row;  // line height
  double dot;  // radius
  double widest_name;
};

LegendScale scale_for(size_t entries) {
  if (entries <= 10) return {13, 24, 5.5, 230};
  if (entries <= kCountedClasses) return {12.5, 22, 5, 220};
  if (entries <= 50) return {11, 16, 4, 180};
  return {10.5, 15.5, 3.8, 128};
}

/// Returns the largest classes in their original order.
std::vector<LegendEntry> largest(std::vector<LegendEntry> entries, size_t count) {
  if (entries.size() <= count) return entries;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  entries.resize(count);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return entries;
}

/// Column widths of the legend.
struct LineParts {
  double name = 0;
  double count = 0;  // includes the gap before it
};

LegendLine make_line(const LegendEntry& entry, const LegendScale& scale) {
  LegendLine line{.number = entry.number,
                  .box = {},
                  .dot = {},
                  .name = {},
                  .count = {},
                  .name_text = shorten(entry.name, {.size = scale.font}, scale.widest_name),
                  .count_text = grouped(entry.count)};
  return line;
}

LineParts widest_parts(const std::vector<LegendLine>& lines, const Font& font) {
  LineParts parts;
  for (const auto& line : lines) {
    parts.name = std::max(parts.name, text_width(line.name_text, font));
    if (line.count_text.empty()) continue;
    parts.count = std::max(parts.count, kCountGap + text_width(line.count_text, font));
  }
  return parts;
}

void place_line(LegendLine& line, const Box& box, const LegendScale& scale) {
  const double base = box.middle().y + scale.font * 0.36;
  line.box = box;
  line.dot = {box.left + scale.dot + 2, box.middle().y};
  line.name = {box.left + 2 * scale.dot + 10, base};
  line.count = {box.right() - 4, base};
}

}  // namespace

Legend lay_out_legend(std::vector<LegendEntry> entries, const Point& corner, double height) {
  Legend legend;
  const size_t all = entries.size();
  const auto scale = scale_for(all);
  legend.font = {.size = scale.font};
  legend.dot_radius = scale.dot;
  for (const auto& entry : largest(std::move(entries), kLegendClasses)) {
    legend.lines.push_back(make_line(entry, scale));
    if (all > kCountedClasses) legend.lines.back().count_text.clear();
  }
  const size_t listed = legend.lines.size();
  const auto fitting = static_cast<size_t>(std::max(1.0, height / scale.row));
  const size_t columns = std::clamp<size_t>((listed + fitting - 1) / fitting, 1, kMostColumns);
  const size_t rows = (listed + columns - 1) / columns;

  const auto parts = widest_parts(legend.lines, legend.font);
  const double width = 2 * scale.dot + 10 + parts.name + parts.count + 4;
  for (size_t i = 0; i < listed; ++i) {
    const auto column = static_cast<double>(i / rows);
    const auto row = static_cast<double>(i % rows);
    place_line(
        legend.lines[i],
        {corner.x + column * (width + kColumnGap), corner.y + row * scale.row, width, scale.row},
        scale);
  }
  const auto down = static_cast<double>(rows + (all > listed ? 1 : 0));
  legend.box = {corner.x, corner.y,
                static_cast<double>(columns) * (width + kColumnGap) - kColumnGap, down * scale.row};
  if (all > listed) {
    legend.more = concat("and ", grouped(static_cast<int64_t>(all - listed)),
                         all - listed == 1 ? " more class" : " more classes");
    legend.more_at = {corner.x, corner.y + (down - 0.3) * scale.row};
  }
  return legend;
}

}  // namespace projnce::report
