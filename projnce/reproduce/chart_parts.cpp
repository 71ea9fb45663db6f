#include "projnce/reproduce/chart_parts.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace projnce {

namespace {

constexpr Font kChartTitle = {.size = 17, .bold = true};
constexpr double kFirstLine = kChartMargin + 35;
constexpr double kLineStep = 16;

/// Words in lines no wider than `width`; a word that is wider alone is cut.
std::vector<std::string> wrap_words(const std::string& text, double width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto longer = lines.empty() ? word : lines.back() + ' ' + word;
    if (!lines.empty() && text_width(longer, kChartFont) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(shorten(word, kChartFont, width));
    }
  }
  return lines;
}

}  // namespace

ChartHeading::ChartHeading(const std::string& title, const std::string& subtitle, double width)
    : title_(shorten(title, kChartTitle, width - 2 * kChartMargin)),
      lines_(wrap_words(subtitle, width - 2 * kChartMargin)) {}

double ChartHeading::bottom() const {
  return kFirstLine + static_cast<double>(lines_.size()) * kLineStep;
}

void ChartHeading::draw(Canvas& canvas) const {
  canvas.text({kChartMargin, kChartMargin + 13}, title_, {.font = kChartTitle});
  double y = kFirstLine;
  for (const auto& line : lines_) {
    canvas.text({kChartMargin, y}, line, {.font = kChartFont, .ink = Ink::kSoft});
    y += kLineStep;
  }
}

bool has_paper(const std::vector<ChartValue>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const auto& value) { return value.paper.has_value(); });
}

bool has_several_seeds(const std::vector<ChartValue>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const auto& value) { return value.seeds.size() > 1; });
}

std::vector<double> chart_numbers(const std::vector<ChartValue>& values) {
  std::vector<double> numbers;
  const auto add = [&](double number) {
    if (std::isfinite(number)) numbers.push_back(number);
  };
  for (const auto& value : values) {
    for (const double seed : value.seeds) add(seed);
    if (value.mean) add(*value.mean);
    if (value.paper) add(*value.paper);
  }
  return numbers;
}

}  // namespace projnce
