#include "projnce/eval/tsne/affinities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "projnce/core/seed.h"
#include "projnce/kernel/map_forces.h"
#include "projnce/kernel/nearest_rows.h"

namespace projnce::eval {

namespace {

constexpr double kEntropyTolerance = 1e-7;
constexpr int kMostPerplexitySteps = 200;  // Newton's method needs about five

struct RowEntropy {
  double value;
  double slope;  // derivative with respect to the precision
};

/// Writes the weights e^{-precision (d - nearest)}, not yet divided by `sum`, and returns their
/// entropy.
RowEntropy weigh(const double* distances, int64_t count, double nearest, double precision,
                 double* weights, double& sum) {
  sum = 0;
  double first = 0, second = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double d = distances[k] - nearest;
    const double w = std::exp(-precision * d);
    weights[k] = w;
    sum += w;
    first += w * d;
    second += w * d * d;
  }
  const double mean = first / sum;
  return {std::log(sum) + precision * mean, -precision * (second / sum - mean * mean)};
}

}  // namespace

void fit_perplexity(const double* squared_distances, int64_t count, double perplexity,
                    double* weights) {
  const auto [nearest, farthest] =
      std::minmax_element(squared_distances, squared_distances + count);
  const double wanted = std::log(perplexity);
  const double range = *farthest - *nearest;
  double precision = range > 0 ? 2 / range : 0;
  double low = 0, high = std::numeric_limits<double>::infinity();
  double sum = 1;
  for (int step = 0; step < kMostPerplexitySteps; ++step) {
    const auto entropy = weigh(squared_distances, count, *nearest, precision, weights, sum);
    const double excess = entropy.value - wanted;
    if (std::abs(excess) < kEntropyTolerance || precision * range > 1e15 || range <= 0) break;
    (excess > 0 ? low : high) = precision;
    const double newton = precision - excess / entropy.slope;
    const double middle = std::isinf(high) ? 2 * low : (low + high) / 2;
    // Newton steps are inaccurate where the curve is flat: use bisection instead of large steps.
    precision = newton > low && newton < std::min(high, 4 * precision) ? newton : middle;
  }
  for (int64_t k = 0; k < count; ++k) weights[k] /= sum;
}

namespace {

/// Returns the rows whose neighbors are all at distance 0, with duplicates adjacent.
std::vector<int32_t> rows_among_equals(const float* rows, int64_t count, int64_t dim,
                                       int64_t neighbors, const float* distances) {
  std::vector<int32_t> found;
  for (int64_t i = 0; i < count; ++i) {
    if (distances[(i + 1) * neighbors - 1] <= 0) found.push_back(static_cast<int32_t>(i));
  }
  std::sort(found.begin(), found.end(), [&](int32_t a, int32_t b) {
    const float* u = rows + a * dim;
    const float* v = rows + b * dim;
    const auto [x, y] = std::mismatch(u, u + dim, v);
    return x == u + dim ? a < b : *x < *y;
  });
  return found;
}

/// Returns `wanted` distinct values of 1 .. count - 1.
std::vector<int64_t> random_offsets(int64_t count, int64_t wanted) {
  std::vector<int64_t> offsets(static_cast<size_t>(count - 1));
  std::iota(offsets.begin(), offsets.end(), 1);
  Random(derive_seed(0, static_cast<uint64_t>(count))).shuffle(offsets);
  offsets.resize(static_cast<size_t>(wanted));
  return offsets;
}

}  // namespace

void mix_equal_rows(const float* rows, int64_t count, int64_t dim, int64_t neighbors,
                    const float* distances, int32_t* indices) {
  const auto sorted = rows_among_equals(rows, count, dim, neighbors, distances);
  const auto equal = [&](int32_t a, int32_t b) {
    return std::equal(rows + a * dim, rows + (a + 1) * dim, rows + b * dim);
  };
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last =
        std::find_if_not(first, sorted.end(), [&](int32_t other) { return equal(*first, other); });
    const int64_t group = last - first;
    // Distances may also underflow to 0; then the group is smaller.
    if (group > neighbors + 1) {
      const auto offsets = random_offsets(group, neighbors);
      for (int64_t i = 0; i < group; ++i) {
        int32_t* to = indices + first[i] * neighbors;
        for (const int64_t offset : offsets) *to++ = first[(i + offset) % group];
      }
    }
    first = last;
  }
}

namespace {

/// Sparse matrix in CSR format.
struct SparseRows {
  std::vector<int64_t> starts;
  std::vector<int32_t> columns;
  std::vector<float> values;

  explicit SparseRows(int64_t rows) : starts(static_cast<size_t>(rows) + 1, 0) {}
  int64_t rows() const { return static_cast<int64_t>(starts.size()) - 1; }
};

/// Transposes a matrix; the columns of each row are ascending, whatever their order in `from`.
SparseRows transposed(const SparseRows& from) {
  SparseRows to(from.rows());
  for (const int32_t column : from.columns) ++to.starts[static_cast<size_t>(column) + 1];
  for (size_t i = 1; i < to.starts.size(); ++i) to.starts[i] += to.starts[i - 1];
  to.columns.resize(from.columns.size());
  to.values.resize(from.values.size());
  auto next = to.starts;
  for (int64_t row = 0; row < from.rows(); ++row) {
    for (auto e = static_cast<size_t>(from.starts[static_cast<size_t>(row)]);
         e < static_cast<size_t>(from.starts[static_cast<size_t>(row) + 1]); ++e) {
      const auto at = static_cast<size_t>(next[static_cast<size_t>(from.columns[e])]++);
      to.columns[at] = static_cast<int32_t>(row);
      to.values[at] = from.values[e];
    }
  }
  return to;
}

/// p_j|i: row i holds the weights of the neighbors of i.
SparseRows conditional_affinities(const float* rows, int64_t count, int64_t dim,
                                  double perplexity) {
  const int64_t neighbors = std::min(static_cast<int64_t>(3 * perplexity), count - 1);
  const auto size = static_cast<size_t>(count * neighbors);
  std::vector<int64_t> indices(size);
  SparseRows found(count);
  found.values.resize(size);
  kernel::nearest_rows<float>({.queries = rows,
                               .num_queries = count,
                               .references = rows,
                               .num_references = count,
                               .dim = dim,
                               .neighbors = neighbors,
                               .similarity = kernel::Similarity::kDistance,
                               .exclude_self = true},
                              indices.data(), found.values.data());
  found.columns.assign(indices.begin(), indices.end());
  mix_equal_rows(rows, count, dim, neighbors, found.values.data(), found.columns.data());
#pragma omp parallel
  {
    std::vector<double> squares(static_cast<size_t>(neighbors)), weights(squares.size());
#pragma omp for schedule(static)
    for (int64_t i = 0; i < count; ++i) {
      float* row = found.values.data() + i * neighbors;
      for (int64_t k = 0; k < neighbors; ++k) {
        squares[static_cast<size_t>(k)] = static_cast<double>(row[k]) * row[k];
      }
      fit_perplexity(squares.data(), neighbors, perplexity, weights.data());
      std::copy(weights.begin(), weights.end(), row);
      found.starts[static_cast<size_t>(i) + 1] = (i + 1) * neighbors;
    }
  }
  return found;
}

/// Calls entry(column, value) for the sum of row i of two matrices, with ascending columns.
template <class Entry>
void merge_row(const SparseRows& a, const SparseRows& b, int64_t i, const Entry& entry) {
  const auto row = static_cast<size_t>(i);
  auto p = static_cast<size_t>(a.starts[row]), q = static_cast<size_t>(b.starts[row]);
  const auto p_end = static_cast<size_t>(a.starts[row + 1]);
  const auto q_end = static_cast<size_t>(b.starts[row + 1]);
  while (p < p_end || q < q_end) {
    if (q == q_end || (p < p_end && a.columns[p] < b.columns[q])) {
      entry(a.columns[p], a.values[p]);
      ++p;
    } else if (p == p_end || b.columns[q] < a.columns[p]) {
      entry(b.columns[q], b.values[q]);
      ++q;
    } else {
      entry(a.columns[p], a.values[p] + b.values[q]);
      ++p;
      ++q;
    }
  }
}

}  // namespace

Affinities make_affinities(const float* rows, int64_t count, int64_t dim, double perplexity) {
  const SparseRows toward = transposed(conditional_affinities(rows, count, dim, perplexity));
  const SparseRows from = transposed(toward);
  Affinities made;
  made.starts.assign(static_cast<size_t>(count) + 1, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t length = 0;
    merge_row(from, toward, i, [&](int32_t, float) { ++length; });
    length =
        (length + kernel::kAttractionStep - 1) / kernel::kAttractionStep * kernel::kAttractionStep;
    made.starts[static_cast<size_t>(i) + 1] = made.starts[static_cast<size_t>(i)] + length;
  }
  made.partners.resize(static_cast<size_t>(made.starts.back()));
  made.weights.resize(made.partners.size(), 0);
  const auto scale = static_cast<float>(0.5 / static_cast<double>(count));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i) {
    auto at = static_cast<size_t>(made.starts[static_cast<size_t>(i)]);
    merge_row(from, toward, i, [&](int32_t column, float value) {
      made.partners[at] = column;
      made.weights[at++] = value * scale;
    });
    const auto end = static_cast<size_t>(made.starts[static_cast<size_t>(i) + 1]);
    for (; at < end; ++at) made.partners[at] = static_cast<int32_t>(i);
  }
  return made;
}

Affinities reordered(const Affinities& affinities, const int32_t* order) {
  const int64_t count = affinities.points();
  Affinities made;
  made.starts.assign(static_cast<size_t>(count) + 1, 0);
  std::vector<int32_t> place(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<size_t>(order[i]);
    place[from] = static_cast<int32_t>(i);
    made.starts[static_cast<size_t>(i) + 1] =
        made.starts[static_cast<size_t>(i)] + affinities.starts[from + 1] - affinities.starts[from];
  }
  made.partners.resize(affinities.partners.size());
  made.weights.resize(affinities.weights.size());
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<size_t>(order[i]);
    auto to = static_cast<size_t>(made.starts[static_cast<size_t>(i)]);
    for (auto e = static_cast<size_t>(affinities.starts[from]);
         e < static_cast<size_t>(affinities.starts[from + 1]); ++e, ++to) {
      made.partners[to] = place[static_cast<size_t>(affinities.partners[e])];
      made.weights[to] = affinities.weights[e];
    }
  }
  return made;
}

}  // namespace projnce::eval
