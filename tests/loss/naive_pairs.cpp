#include "tests/loss/naive_pairs.h"

#include <cmath>
#include <numeric>

namespace projnce::testing {

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

NaivePairs::NaivePairs(const torch::Tensor& rows, const torch::Tensor& labels, double temperature)
    : t(temperature) {
  for (int64_t i = 0; i < rows.size(0); ++i) {
    Vector row;
    for (int64_t c = 0; c < rows.size(1); ++c) row.push_back(rows[i][c].item<double>());
    z.push_back(row);
    y.push_back(labels[i].item<int64_t>());
  }
}

Indices NaivePairs::where(const std::function<bool(size_t)>& wanted) const {
  Indices found;
  for (size_t j = 0; j < size(); ++j) {
    if (wanted(j)) found.push_back(j);
  }
  return found;
}

Indices NaivePairs::positives(size_t i, bool self) const {
  return where([&](size_t j) { return y[j] == y[i] && (self || j != i); });
}

Indices NaivePairs::negatives(size_t i) const {
  return where([&](size_t j) { return y[j] != y[i]; });
}

Indices NaivePairs::candidates(size_t i, bool self) const {
  return where([&](size_t j) { return self || j != i; });
}

double NaivePairs::mean(size_t i, const Indices& set) const {
  double sum = 0;
  for (const auto j : set) sum += s(i, j);
  return sum / static_cast<double>(set.size());
}

double NaivePairs::sum_of_exponentials(size_t i, const Indices& set) const {
  double sum = 0;
  for (const auto j : set) sum += std::exp(s(i, j));
  return sum;
}

Vector NaivePairs::centroid(int64_t c, size_t without) const {
  Vector sum(z[0].size(), 0.0);
  double count = 0;
  for (size_t j = 0; j < size(); ++j) {
    if (y[j] != c || j == without) continue;
    for (size_t a = 0; a < sum.size(); ++a) sum[a] += z[j][a];
    ++count;
  }
  if (count == 0) return z[without];
  for (auto& a : sum) a /= count;
  return sum;
}

double NaivePairs::average(loss::EmptyPositives empty, const std::function<bool(size_t)>& valid,
                           const std::function<double(size_t)>& term) const {
  double sum = 0;
  double count = 0;
  for (size_t i = 0; i < size(); ++i) {
    if (!valid(i)) continue;
    sum += term(i);
    ++count;
  }
  if (count == 0) return 0;
  return sum / (empty == loss::EmptyPositives::kSkip ? count : static_cast<double>(size()));
}

double naive_supcon(const torch::Tensor& rows, const torch::Tensor& labels,
                    const loss::SupConOptions& options) {
  const NaivePairs p(rows, labels, options.temperature);
  const auto loss = p.average(
      options.empty_positives,
      [&](size_t i) {
        return !p.positives(i, options.include_self_pos).empty() &&
               !p.candidates(i, options.include_self_denom).empty();
      },
      [&](size_t i) {
        const auto positives = p.positives(i, options.include_self_pos);
        const auto count = static_cast<double>(positives.size());
        const auto positive = options.variant == loss::SupConVariant::kOut
                                  ? p.mean(i, positives)
                                  : std::log(p.sum_of_exponentials(i, positives) / count);
        return -positive +
               std::log(p.sum_of_exponentials(i, p.candidates(i, options.include_self_denom)));
      });
  return options.base_temperature ? loss * options.temperature / *options.base_temperature : loss;
}

double naive_class_infonce(const torch::Tensor& rows, const torch::Tensor& labels,
                           const torch::Tensor& g, double temperature, bool include_self) {
  double sum = 0;
  const auto count = rows.size(0);
  const auto score = [&](int64_t i, int64_t j) {
    return rows[i].dot(g[labels[j].item<int64_t>()]).item<double>() / temperature;
  };
  for (int64_t i = 0; i < count; ++i) {
    double denominator = 0;
    for (int64_t j = 0; j < count; ++j) {
      if (include_self || j != i) denominator += std::exp(score(i, j));
    }
    sum += -score(i, i) + std::log(denominator);
  }
  return sum / static_cast<double>(count);
}

}  // namespace projnce::testing
