#include "projnce/report/legend.h"

#include <algorithm>
#include <utility>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr size_t kCountedClasses = 20;
constexpr size_t kMostColumns = 4;
constexpr double kColumnGap = 14;
constexpr double kCountGap = 18;

/// Sizes that go together.
struct LegendScale {
  double font;
  double row;  // from line to line
  double dot;  // radius
  double widest_name;
};

LegendScale scale_for(size_t entries) {
  if (entries <= 10) return {13, 24, 5.5, 230};
  if (entries <= kCountedClasses) return {12.5, 22, 5, 220};
  if (entries <= 50) return {11, 16, 4, 180};
  return {10.5, 15.5, 3.8, 128};
}

/// The largest classes, in the order that they had.
std::vector<LegendEntry> largest(std::vector<LegendEntry> entries, size_t count) {
  if (entries.size() <= count) return entries;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  entries.resize(count);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return entries;
}

/// Widths of the parts of a line, which are those of the widest in the legend.
struct LineParts {
  double name = 0;
  double count = 0;  // with the gap before it
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
    legend.more = concat("and ", grouped(static_cast<int64_t>(all - listed)), " more classes");
    legend.more_at = {corner.x, corner.y + (down - 0.3) * scale.row};
  }
  return legend;
}

}  // namespace projnce
