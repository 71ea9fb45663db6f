#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projnce/report/canvas.h"

namespace projnce {

/// What a chart shows of one cell. Numbers are in the unit of the axis.
struct ChartValue {
  std::vector<double> seeds;
  std::optional<double> mean;   ///< none where nothing was trained
  std::optional<double> paper;  ///< the paper's number
  std::string text;             ///< "36.9 ± 0.4"
};

inline constexpr double kChartMargin = 24;
inline constexpr Font kChartFont = {.size = 12};
inline constexpr Font kSmallChartFont = {.size = 11};
/// From the middle of small letters to their base line.
inline constexpr double kHalfLetter = 4.2;

/// The title and below it what is shown, in as many lines as the width asks for.
class ChartHeading {
 public:
  /// `width` is that of the whole drawing.
  ChartHeading(const std::string& title, const std::string& subtitle, double width);

  /// Where the chart may start.
  double bottom() const;
  void draw(Canvas& canvas) const;

 private:
  std::string title_;
  std::vector<std::string> lines_;
};

/// Whether one of them has a number of the paper.
bool has_paper(const std::vector<ChartValue>& values);

/// Whether one of them is a mean of several seeds.
bool has_several_seeds(const std::vector<ChartValue>& values);

/// All finite numbers of the values.
std::vector<double> chart_numbers(const std::vector<ChartValue>& values);

}  // namespace projnce
