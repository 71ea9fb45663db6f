#include "tests/loss/naive_losses.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace projnce::testing {

namespace {

using Indices = std::vector<size_t>;
using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The rows as plain numbers, with the scores between them.
struct Pairs {
  std::vector<Vector> z;
  std::vector<int64_t> y;
  double t;

  Pairs(const torch::Tensor& rows, const torch::Tensor& labels, double temperature)
      : t(temperature) {
    for (int64_t i = 0; i < rows.size(0); ++i) {
      Vector row;
      for (int64_t c = 0; c < rows.size(1); ++c) row.push_back(rows[i][c].item<double>());
      z.push_back(row);
      y.push_back(labels[i].item<int64_t>());
    }
  }

  size_t size() const { return z.size(); }
  double s(size_t i, size_t j) const { return dot(z[i], z[j]) / t; }

  Indices where(const std::function<bool(size_t)>& wanted) const {
    Indices found;
    for (size_t j = 0; j < size(); ++j) {
      if (wanted(j)) found.push_back(j);
    }
    return found;
  }
  Indices positives(size_t i, bool self) const {
    return where([&](size_t j) { return y[j] == y[i] && (self || j != i); });
  }
  Indices negatives(size_t i) const {
    return where([&](size_t j) { return y[j] != y[i]; });
  }
  Indices candidates(size_t i, bool self) const {
    return where([&](size_t j) { return self || j != i; });
  }

  double mean(size_t i, const Indices& set) const {
    double sum = 0;
    for (const auto j : set) sum += s(i, j);
    return sum / static_cast<double>(set.size());
  }
  double mass(size_t i, const Indices& set) const {
    double sum = 0;
    for (const auto j : set) sum += std::exp(s(i, j));
    return sum;
  }
  /// Mean of the rows of class c without row `without`.
  Vector centroid(int64_t c, size_t without) const {
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
};

constexpr size_t kNobody = static_cast<size_t>(-1);

/// sum of terms over valid anchors, divided by all anchors or by the valid ones.
double average(const Pairs& pairs, EmptyPositives empty, const std::function<bool(size_t)>& valid,
               const std::function<double(size_t)>& term) {
  double sum = 0;
  double count = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!valid(i)) continue;
    sum += term(i);
    ++count;
  }
  if (count == 0) return 0;
  return sum / (empty == EmptyPositives::kSkip ? count : static_cast<double>(pairs.size()));
}

double ratio(const Pairs& p, size_t i, const ProjnceOptions& options) {
  double above = 0;
  double below = 0;
  for (size_t k = 0; k < p.size(); ++k) {
    if (options.r_exclude == Leave::kSelf && k == i) continue;
    if (options.r_exclude == Leave::kOwnClass && p.y[k] == p.y[i]) continue;
    const auto without = options.r_centroid == CentroidRows::kAll         ? kNobody
                         : options.r_centroid == CentroidRows::kNotAnchor ? i
                                                                          : k;
    above += std::exp(dot(p.z[i], p.centroid(p.y[k], without)) / p.t);
    below += std::exp(p.s(i, k));
  }
  return below == 0 ? 0 : above / below;
}

}  // namespace

double naive_supcon(const torch::Tensor& rows, const torch::Tensor& labels,
                    const SupConOptions& options) {
  const Pairs p(rows, labels, options.temperature);
  const auto loss = average(
      p, options.empty_pos,
      [&](size_t i) {
        return !p.positives(i, options.include_self_pos).empty() &&
               !p.candidates(i, options.include_self_denom).empty();
      },
      [&](size_t i) {
        const auto positives = p.positives(i, options.include_self_pos);
        const auto count = static_cast<double>(positives.size());
        const auto pull = options.variant == SupConVariant::kOut
                              ? p.mean(i, positives)
                              : std::log(p.mass(i, positives) / count);
        return -pull + std::log(p.mass(i, p.candidates(i, options.include_self_denom)));
      });
  return options.base_tau ? loss * options.temperature / *options.base_tau : loss;
}

double naive_projnce(const torch::Tensor& rows, const torch::Tensor& labels,
                     const ProjnceOptions& options) {
  const Pairs p(rows, labels, options.temperature);
  double ratios = 0;
  for (size_t i = 0; i < p.size(); ++i) ratios += ratio(p, i, options);
  return naive_supcon(rows, labels,
                      {.temperature = options.temperature,
                       .include_self_pos = options.include_self_pos,
                       .include_self_denom = options.include_self_denom,
                       .empty_pos = options.empty_pos}) +
         options.beta * ratios / static_cast<double>(p.size());
}

double naive_rince(const torch::Tensor& rows, const torch::Tensor& labels,
                   const RinceOptions& options) {
  const Pairs p(rows, labels, options.temperature);
  return average(
      p, options.empty_pos, [&](size_t i) { return !p.positives(i, false).empty(); },
      [&](size_t i) {
        const auto positives = p.positives(i, false);
        double sum = 0;
        for (const auto j : positives) {
          const auto mass = options.denominator == RinceDenominator::kAll
                                ? p.mass(i, p.candidates(i, false))
                                : std::exp(p.s(i, j)) + p.mass(i, p.negatives(i));
          sum += (-std::exp(options.q * p.s(i, j)) + std::pow(options.lam * mass, options.q)) /
                 options.q;
        }
        return sum / static_cast<double>(positives.size());
      });
}

double naive_symnce(const torch::Tensor& rows, const torch::Tensor& labels,
                    const SymnceOptions& options) {
  const Pairs p(rows, labels, options.temperature);
  const auto infonce = [&](size_t i, const Indices& from, const Indices& to) {
    const auto count = static_cast<double>(from.size());
    const auto all = std::log(p.mass(i, from) + p.mass(i, to));
    if (options.form == SymnceForm::kLout) return -p.mean(i, from) + all;
    if (options.form == SymnceForm::kLin) return -std::log(p.mass(i, from) / count) + all;
    double sum = 0;
    for (const auto j : from) {
      sum += -p.s(i, j) + std::log(std::exp(p.s(i, j)) + p.mass(i, to));
    }
    return sum / count;
  };
  return average(
      p, options.empty_pos,
      [&](size_t i) { return !p.positives(i, false).empty() && !p.negatives(i).empty(); },
      [&](size_t i) {
        const auto positives = p.positives(i, false);
        const auto negatives = p.negatives(i);
        return infonce(i, positives, negatives) - options.beta * infonce(i, negatives, positives);
      });
}

}  // namespace projnce::testing
