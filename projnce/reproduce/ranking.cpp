#include "projnce/reproduce/ranking.h"

#include <cmath>

namespace projnce {

namespace {

int sign(double value) {
  return (value > 0) - (value < 0);
}

}  // namespace

std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double agreement = 0, ordered_a = 0, ordered_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int in_a = sign(a[i] - a[j]);
      const int in_b = sign(b[i] - b[j]);
      agreement += in_a * in_b;
      ordered_a += in_a != 0;
      ordered_b += in_b != 0;
    }
  }
  if (ordered_a == 0 || ordered_b == 0) return std::nullopt;
  return agreement / std::sqrt(ordered_a * ordered_b);
}

}  // namespace projnce
