#include "projnce/reproduce/result.h"

#include <cmath>

namespace projnce {

double mean_value(const ResultCell& cell) {
  double sum = 0;
  for (const auto& run : cell.runs) sum += run.value;
  return sum / static_cast<double>(cell.runs.size());
}

std::optional<double> deviation(const ResultCell& cell) {
  if (cell.runs.size() < 2) return std::nullopt;
  const double mean = mean_value(cell);
  double squares = 0;
  for (const auto& run : cell.runs) squares += (run.value - mean) * (run.value - mean);
  return std::sqrt(squares / static_cast<double>(cell.runs.size() - 1));
}

}  // namespace projnce
