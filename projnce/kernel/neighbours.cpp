#include "projnce/kernel/neighbours.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "projnce/kernel/blocks.h"
#include "projnce/kernel/rounds.h"
#include "projnce/kernel/table.h"

namespace projnce {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kSmallest = std::numeric_limits<float>::min();

/// The least float that is not below `value`: floats are below both or below neither.
float float_from_above(double value) {
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) < value ? std::nextafter(near, kInfinity) : near;
}

/// A thread's memory for a pair of blocks.
struct TileScratch {
  explicit TileScratch(int64_t dim)
      : order(static_cast<size_t>(dim)),
        out(kernels<float>().near_rows * kernels<float>().panel_columns) {}

  std::vector<int32_t> order;
  AlignedBuffer<float> out;
};

std::vector<TileScratch> scratch_for_threads(int64_t dim) {
  std::vector<TileScratch> all;
  for (int t = 0; t < kernel_threads(); ++t) all.emplace_back(dim);
  return all;
}

/// Whether one of the distances of a row is below its limit or that of its column. Without
/// branches: it is asked of every row of a tile.
bool any_below(const float* distances, int64_t columns, float row_limit,
               const float* column_limit) {
  int32_t below = 0;
  for (int64_t l = 0; l < columns; ++l) {
    below |= (distances[l] < row_limit) | (distances[l] < column_limit[l]);
  }
  return below != 0;
}

/// Calls visit(row, column, columns, distances) for pairs of blocks a and b in rows of tiles where
/// one is closer than row_limit of its row or column_limit of its column; rows and columns are
/// counted from the beginnings of the blocks. `visit` may lower limits.
template <class Visit>
void visit_near(const MaxNormRows& rows, int64_t a, int64_t b, const float* row_limit,
                const float* column_limit, const TileScratch& scratch, const Visit& visit) {
  const auto& table = kernels<float>();
  const auto& from = rows.block(a);
  const auto& to = rows.block(b);
  const int64_t width = rows.panels().width();
  float* out = scratch.out.data();
  // Panels in the inner loop: most tiles need a few coordinates of each, which stay in the cache.
  for (int64_t r = 0; r < from.length; r += table.near_rows) {
    const int64_t some = std::min(table.near_rows, from.length - r);
    const float* first = rows.float_row(from.padded + r);
    for (int64_t c = 0; c < to.length; c += width) {
      if (!table.near_tile(first, rows.dim(), some, rows.panels().from_row(to.padded + c),
                           scratch.order.data(), rows.dim(), row_limit + r, column_limit + c,
                           out)) {
        continue;
      }
      const int64_t columns = std::min(width, to.length - c);
      for (int64_t m = 0; m < some; ++m) {
        const float* distances = out + m * width;
        if (any_below(distances, width, row_limit[r + m], column_limit + c)) {
          visit(r + m, c, columns, distances);
        }
      }
    }
  }
}

struct Neighbour {
  float distance;
  int64_t row;
};

/// The neighbours of one row that may be among its k nearest in double precision.
class Nearest {
 public:
  Nearest(int64_t k, double margin) : k_(static_cast<size_t>(k)), margin_(margin) {}

  /// Further pairs matter only below this: the k-th distance in double is at most the k-th in float
  /// plus a margin, and a distance in double is at least that in float less a margin.
  float limit() const {
    if (nearest_.size() < k_) return kInfinity;
    return margin_ == 0 ? nearest_.front() : float_from_above(nearest_.front() + 2 * margin_);
  }

  void add(float distance, int64_t row) {
    if (nearest_.size() == k_ && distance < nearest_.front()) {
      std::pop_heap(nearest_.begin(), nearest_.end());
      nearest_.pop_back();
    }
    if (nearest_.size() < k_) {
      nearest_.push_back(distance);
      std::push_heap(nearest_.begin(), nearest_.end());
    }
    if (seen_.size() == seen_.capacity()) forget_far();
    seen_.push_back({distance, row});
  }

  /// The k-th smallest in double; exact(row) computes one.
  template <class Exact>
  double kth(const Exact& exact) const {
    const double middle = nearest_.front();
    size_t closer = 0;  // without doubt
    std::vector<double> doubtful;
    for (const auto& [distance, row] : seen_) {
      if (distance < middle - 2 * margin_) {
        ++closer;
      } else if (distance <= middle + 2 * margin_) {
        doubtful.push_back(exact(row));
      }
    }
    const auto at = doubtful.begin() + static_cast<int64_t>(k_ - closer - 1);
    std::nth_element(doubtful.begin(), at, doubtful.end());
    return *at;
  }

 private:
  void forget_far() {
    const float far = limit();
    std::erase_if(seen_, [far](const Neighbour& one) { return one.distance > far; });
    if (2 * seen_.size() > seen_.capacity()) seen_.reserve(2 * seen_.size() + 2 * k_ + 16);
  }

  size_t k_;
  double margin_;
  std::vector<float> nearest_;  // max-heap of the k smallest
  std::vector<Neighbour> seen_;
};

/// Searches block by block for the k nearest of all rows.
class NearestSearch {
 public:
  NearestSearch(const MaxNormRows& rows, int64_t k)
      : rows_(rows),
        nearest_(static_cast<size_t>(rows.count()), Nearest(k, rows.margin())),
        limits_(rows.padded()),
        no_limits_(rows.padded()) {
    std::fill_n(limits_.data(), rows.padded(), kInfinity);
    std::fill_n(no_limits_.data(), rows.padded(), 0.0F);
    // What fills the panels is nobody's neighbour and has none.
    for (int64_t b = 0; b < rows.blocks(); ++b) {
      const auto& [first, length, padded] = rows.block(b);
      const int64_t end = b + 1 < rows.blocks() ? rows.block(b + 1).padded : rows.padded();
      std::fill(limits_.data() + padded + length, limits_.data() + end, 0.0F);
    }
  }

  /// Rows of each block may be neighbours of those of the other.
  void look(int64_t a, int64_t b, TileScratch& scratch) {
    const auto& from = rows_.block(a);
    const auto& to = rows_.block(b);
    const float widest = std::max(widest_limit(from), widest_limit(to));
    if (rows_.least_distance(a, b) * rows_.scale() >= static_cast<double>(widest)) return;
    rows_.order_coordinates(a, b, scratch.order.data());
    visit_near(rows_, a, b, limits_.data() + from.padded,
               a == b ? no_limits_.data() : limits_.data() + to.padded, scratch,
               [&](int64_t r, int64_t c, int64_t columns, const float* distances) {
                 for (int64_t l = 0; l < columns; ++l) {
                   offer(from, r, to, c + l, distances[l]);
                   if (a != b) offer(to, c + l, from, r, distances[l]);
                 }
               });
  }

  std::vector<double> kth() const {
    std::vector<double> result(nearest_.size());
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows_.count(); ++i) {
      result[i] = nearest_[i].kth([&](int64_t j) { return rows_.distance(i, j); });
    }
    return result;
  }

 private:
  using Block = MaxNormRows::Block;

  float widest_limit(const Block& block) const {
    const float* limits = limits_.data() + block.padded;
    return *std::max_element(limits, limits + block.length);
  }

  /// Row c of one block to row r of the other as a neighbour.
  void offer(const Block& mine, int64_t r, const Block& theirs, int64_t c, float distance) {
    float& limit = limits_[mine.padded + r];
    if (!(distance < limit) || mine.first + r == theirs.first + c) return;
    auto& nearest = nearest_[mine.first + r];
    nearest.add(distance, theirs.first + c);
    limit = nearest.limit();
  }

  const MaxNormRows& rows_;
  std::vector<Nearest> nearest_;    // [count]
  AlignedBuffer<float> limits_;     // [padded]
  AlignedBuffer<float> no_limits_;  // [padded]
};

/// Limits in float, in the places of the padded rows: a distance below `sure` is below the limit
/// in double too, one that is not below `possible` is not.
class FloatLimits {
 public:
  FloatLimits(const MaxNormRows& rows, const std::vector<double>& limits)
      : sure_(rows.padded()), possible_(rows.padded()) {
    std::fill_n(sure_.data(), rows.padded(), 0.0F);
    std::fill_n(possible_.data(), rows.padded(), 0.0F);
    for (int64_t b = 0; b < rows.blocks(); ++b) {
      const auto& [first, length, padded] = rows.block(b);
      for (int64_t i = 0; i < length; ++i) {
        if (limits[static_cast<size_t>(first + i)] <= 0) continue;
        const double limit = limits[static_cast<size_t>(first + i)] * rows.scale();
        // Distances without a margin are 0 or far above the smallest float.
        possible_[padded + i] = std::max(float_from_above(limit + rows.margin()), kSmallest);
        sure_[padded + i] =
            rows.margin() == 0 ? possible_[padded + i] : float_from_above(limit - rows.margin());
      }
    }
  }

  const float* sure(int64_t padded_row) const { return sure_.data() + padded_row; }
  const float* possible(int64_t padded_row) const { return possible_.data() + padded_row; }

 private:
  AlignedBuffer<float> sure_;
  AlignedBuffer<float> possible_;
};

class Counter {
 public:
  Counter(const MaxNormRows& rows, const std::vector<double>& limits)
      : rows_(rows),
        limits_(limits),
        floats_(rows, limits),
        none_(rows.padded()),
        counts_(limits.size()) {
    std::fill_n(none_.data(), rows.padded(), 0.0F);
    for (int64_t b = 0; b < rows.blocks(); ++b) {
      const auto begin = limits.begin() + rows.block(b).first;
      const auto [low, high] = std::minmax_element(begin, begin + rows.block(b).length);
      least_.push_back(*low);
      most_.push_back(*high);
    }
  }

  /// Adds the pairs of two blocks to the counts of both; of a block with itself, once.
  void add(int64_t a, int64_t b, TileScratch& scratch) {
    if (rows_.least_distance(a, b) >= std::max(most_[a], most_[b])) return;
    if (rows_.most_distance(a, b) < std::min(least_[a], least_[b])) {
      add_all(a, rows_.block(b).length);
      if (a != b) add_all(b, rows_.block(a).length);
      return;
    }
    rows_.order_coordinates(a, b, scratch.order.data());
    const auto& to = rows_.block(b);
    visit_near(rows_, a, b, floats_.possible(rows_.block(a).padded),
               a == b ? none_.data() : floats_.possible(to.padded), scratch,
               [&](int64_t r, int64_t c, int64_t columns, const float* distances) {
                 add_row(a, r, b, c, columns, distances);
                 if (a != b) add_columns(a, r, b, c, columns, distances);
               });
  }

  std::vector<int64_t> take() { return std::move(counts_); }

 private:
  void add_all(int64_t block, int64_t more) {
    const auto& [first, length, padded] = rows_.block(block);
    for (int64_t i = first; i < first + length; ++i) counts_[i] += more;
  }

  void add_row(int64_t a, int64_t r, int64_t b, int64_t c, int64_t columns,
               const float* distances) {
    const auto i = rows_.block(a).first + r;
    const auto j = rows_.block(b).first + c;
    const float sure = *floats_.sure(rows_.block(a).padded + r);
    const float possible = *floats_.possible(rows_.block(a).padded + r);
    int64_t closer = 0;
    for (int64_t l = 0; l < columns; ++l) {
      if (!(distances[l] < possible)) continue;
      closer += distances[l] < sure || rows_.distance(i, j + l) < limits_[i];
    }
    counts_[i] += closer;
  }

  void add_columns(int64_t a, int64_t r, int64_t b, int64_t c, int64_t columns,
                   const float* distances) {
    const auto i = rows_.block(a).first + r;
    const auto j = rows_.block(b).first + c;
    const float* sure = floats_.sure(rows_.block(b).padded + c);
    const float* possible = floats_.possible(rows_.block(b).padded + c);
    for (int64_t l = 0; l < columns; ++l) {
      if (!(distances[l] < possible[l])) continue;
      counts_[j + l] += distances[l] < sure[l] || rows_.distance(i, j + l) < limits_[j + l];
    }
  }

  const MaxNormRows& rows_;
  const std::vector<double>& limits_;
  FloatLimits floats_;
  AlignedBuffer<float> none_;
  std::vector<int64_t> counts_;
  std::vector<double> least_;  // [blocks]: smallest limit
  std::vector<double> most_;   // [blocks]: largest limit
};

}  // namespace

std::vector<double> kth_distances(const MaxNormRows& rows, int64_t k) {
  NearestSearch search(rows, k);
  auto scratch = scratch_for_threads(rows.dim());
  run_rounds(Tournament(rows.blocks()), [&](const BlockPair& pair, int thread) {
    search.look(pair.row, pair.column, scratch[thread]);
  });
  return search.kth();
}

std::vector<int64_t> count_closer(const MaxNormRows& rows, const std::vector<double>& limits) {
  Counter counter(rows, limits);
  auto scratch = scratch_for_threads(rows.dim());
  run_rounds(Tournament(rows.blocks()), [&](const BlockPair& pair, int thread) {
    counter.add(pair.row, pair.column, scratch[thread]);
  });
  return counter.take();
}

}  // namespace projnce
