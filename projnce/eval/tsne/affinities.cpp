#include "projnce/eval/tsne/affinities.h"

#include <algorithm>

#include "projnce/eval/tsne/equal_rows.h"
#include "projnce/eval/tsne/perplexity.h"
#include "projnce/kernel/attraction_rows.h"
#include "projnce/kernel/nearest_rows.h"

namespace projnce {

namespace {

/// A sparse matrix by rows.
struct SparseRows {
  std::vector<int64_t> starts;
  std::vector<int32_t> columns;
  std::vector<float> values;

  explicit SparseRows(int64_t rows) : starts(static_cast<size_t>(rows) + 1, 0) {}
  int64_t rows() const { return static_cast<int64_t>(starts.size()) - 1; }
};

/// Its rows have rising columns, whatever those of `from` are like.
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

/// p_j|i: row i holds the weights of the neighbours of i.
SparseRows conditional_affinities(const float* rows, int64_t count, int64_t dim,
                                  double perplexity) {
  const int64_t neighbors = std::min(static_cast<int64_t>(3 * perplexity), count - 1);
  const auto size = static_cast<size_t>(count * neighbors);
  std::vector<int64_t> indices(size);
  SparseRows found(count);
  found.values.resize(size);
  nearest_rows<float>({.queries = rows,
                       .num_queries = count,
                       .references = rows,
                       .num_references = count,
                       .dim = dim,
                       .neighbors = neighbors,
                       .nearness = Nearness::kDistance,
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

/// Calls entry(column, value) for the sum of row i of two matrices, columns rising.
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
  const SparseRows towards = transposed(conditional_affinities(rows, count, dim, perplexity));
  const SparseRows from = transposed(towards);
  Affinities made;
  made.starts.assign(static_cast<size_t>(count) + 1, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t length = 0;
    merge_row(from, towards, i, [&](int32_t, float) { ++length; });
    length = (length + kAttractionStep - 1) / kAttractionStep * kAttractionStep;
    made.starts[static_cast<size_t>(i) + 1] = made.starts[static_cast<size_t>(i)] + length;
  }
  made.partners.resize(static_cast<size_t>(made.starts.back()));
  made.weights.resize(made.partners.size(), 0);
  const auto scale = static_cast<float>(0.5 / static_cast<double>(count));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i) {
    auto at = static_cast<size_t>(made.starts[static_cast<size_t>(i)]);
    merge_row(from, towards, i, [&](int32_t column, float value) {
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

}  // namespace projnce
