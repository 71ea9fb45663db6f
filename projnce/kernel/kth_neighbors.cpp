#include "projnce/kernel/kth_neighbors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "projnce/kernel/blocks.h"
#include "projnce/kernel/filter_by_quantized_distance.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

/// Scratch memory of a thread for a pair of blocks.
struct TileScratch {
  explicit TileScratch(int64_t dim)
      : order(static_cast<size_t>(dim)),
        differences(kCodeRows * kCodeColumns),
        near(kCodeRows * kCodeColumns) {}

  std::vector<int32_t> order;
  AlignedBuffer<uint8_t> differences;
  AlignedBuffer<uint8_t> near;
};

std::vector<TileScratch> scratch_for_threads(int64_t dim) {
  std::vector<TileScratch> all;
  for (int t = 0; t < kernel_threads(); ++t) all.emplace_back(dim);
  return all;
}

/// Calls visit(column) for the marked columns of a row of a tile.
template <class Visit>
void visit_marked(const uint8_t* marks, const Visit& visit) {
  for (int64_t c = 0; c < kCodeColumns; c += 8) {
    uint64_t eight;
    std::memcpy(&eight, marks + c, sizeof(eight));
    for (; eight != 0; eight &= ~(uint64_t{0xff} << (std::countr_zero(eight) / 8 * 8))) {
      visit(c + std::countr_zero(eight) / 8);
    }
  }
}

/// Calls visit(row, column, code difference) for the pairs of blocks a and b that may be closer
/// than row_limit of the row or column_limit of the column; rows and columns are relative to the
/// blocks. `visit` may lower the limits.
template <class Visit>
void visit_near(const MaxNormRows& rows, int64_t a, int64_t b, const uint8_t* row_limit,
                const uint8_t* column_limit, const TileScratch& scratch, const Visit& visit) {
  const auto& table = kernels<double>();
  const auto& from = rows.block(a);
  const auto& to = rows.block(b);
  // Panels in the inner loop: most tiles need only a few coordinates of each, which stay in cache.
  for (int64_t r = 0; r < from.length; r += kCodeRows) {
    const int64_t some = std::min(kCodeRows, from.length - r);
    for (int64_t c = 0; c < to.length; c += kCodeColumns) {
      if (!table.filter_by_quantized_distance(rows.row_codes(from.padded + r), rows.dim(),
                                              rows.panel(to.padded + c), scratch.order.data(),
                                              rows.dim(), row_limit + r, column_limit + c,
                                              scratch.differences.data(), scratch.near.data())) {
        continue;
      }
      const int64_t columns = to.length - c;
      for (int64_t m = 0; m < some; ++m) {
        visit_marked(scratch.near.data() + m * kCodeColumns, [&](int64_t l) {
          if (l < columns) visit(r + m, c + l, scratch.differences[m * kCodeColumns + l]);
        });
      }
    }
  }
}

/// Converts limits to codes, indexed by padded row; the limit of padding rows is 0.
AlignedBuffer<uint8_t> code_limits(const MaxNormRows& rows, const std::vector<double>& limits) {
  AlignedBuffer<uint8_t> codes(rows.padded());
  std::fill_n(codes.data(), rows.padded(), 0);
  for (int64_t b = 0; b < rows.blocks(); ++b) {
    const auto& [first, length, padded, group] = rows.block(b);
    for (int64_t i = 0; i < length; ++i)
      codes[padded + i] = rows.max_code_difference(limits[first + i]);
  }
  return codes;
}

/// The k nearest rows of one row found so far.
class Nearest {
 public:
  explicit Nearest(int64_t k) : k_(static_cast<size_t>(k)) {}

  /// Rows that are not closer than this can be ignored.
  double limit() const {
    return nearest_.size() < k_ ? std::numeric_limits<double>::infinity()
                                : nearest_.front().distance;
  }

  void add(double distance, bool same_group) {
    if (nearest_.size() == k_) {
      std::pop_heap(nearest_.begin(), nearest_.end());
      nearest_.back() = {distance, same_group};
    } else {
      nearest_.push_back({distance, same_group});
    }
    std::push_heap(nearest_.begin(), nearest_.end());
  }

  /// Counts the rows of the same group that are closer than the k-th.
  int64_t closer_in_group() const {
    return std::count_if(nearest_.begin(), nearest_.end(), [this](const Neighbor& row) {
      return row.same_group && row.distance < limit();
    });
  }

 private:
  struct Neighbor {
    double distance;
    bool same_group;
    bool operator<(const Neighbor& other) const { return distance < other.distance; }
  };
  size_t k_;
  std::vector<Neighbor> nearest_;  // max-heap
};

/// Finds the k nearest rows of all rows, one pair of blocks at a time.
class NearestSearch {
 public:
  NearestSearch(const MaxNormRows& rows, int64_t k)
      : rows_(rows),
        nearest_(static_cast<size_t>(rows.count()), Nearest(k)),
        limits_(nearest_.size(), std::numeric_limits<double>::infinity()),
        codes_(code_limits(rows, limits_)),
        none_(rows.padded()) {
    std::fill_n(none_.data(), rows.padded(), 0);
  }

  /// Processes the pairs of two blocks.
  void search(int64_t a, int64_t b, TileScratch& scratch) {
    const auto& from = rows_.block(a);
    const auto& to = rows_.block(b);
    if (rows_.min_distance(a, b) >= std::max(widest_limit(from), widest_limit(to))) return;
    rows_.order_coordinates(a, b, scratch.order.data());
    visit_near(rows_, a, b, codes_.data() + from.padded,
               a == b ? none_.data() : codes_.data() + to.padded, scratch,
               [&](int64_t r, int64_t c, uint8_t difference) {
                 a == b ? add_pair(from, r, c, difference) : add_pair(from, r, to, c, difference);
               });
  }

  KthNeighbors take() {
    KthNeighbors result{std::move(limits_), std::vector<int64_t>(nearest_.size(), 0)};
    for (int64_t b = 0; b < rows_.blocks(); ++b) {
      const auto& [first, length, padded, group] = rows_.block(b);
      for (int64_t i = first; group >= 0 && i < first + length; ++i) {
        result.closer_in_group[i] =
            nearest_[i].closer_in_group() + (result.distances[i] > 0 ? 1 : 0);
      }
    }
    return result;
  }

 private:
  using Block = MaxNormRows::Block;

  double widest_limit(const Block& block) const {
    const auto begin = limits_.begin() + block.first;
    return *std::max_element(begin, begin + block.length);
  }

  /// Considers row c as a neighbor of row r of the same block. Pairs processed in the meantime may
  /// have ruled it out.
  void add_pair(const Block& block, int64_t r, int64_t c, uint8_t difference) {
    if (r == c || difference > codes_[block.padded + r]) return;
    const auto distance =
        rows_.distance(block.first + r, block.first + c, limits_[block.first + r]);
    offer(block, r, distance, /*same_group=*/true);
  }

  /// Considers rows of two blocks as neighbors of each other.
  void add_pair(const Block& from, int64_t r, const Block& to, int64_t c, uint8_t difference) {
    if (difference > std::max(codes_[from.padded + r], codes_[to.padded + c])) return;
    const double enough = std::max(limits_[from.first + r], limits_[to.first + c]);
    const double distance = rows_.distance(from.first + r, to.first + c, enough);
    const bool same_group = from.group == to.group;
    offer(from, r, distance, same_group);
    offer(to, c, distance, same_group);
  }

  /// Adds a row at this distance as a neighbor of row r of the block, if it is close enough.
  void offer(const Block& block, int64_t r, double distance, bool same_group) {
    double& limit = limits_[block.first + r];
    if (!(distance < limit)) return;
    auto& nearest = nearest_[block.first + r];
    nearest.add(distance, same_group);
    limit = nearest.limit();
    codes_[block.padded + r] = rows_.max_code_difference(limit);
  }

  const MaxNormRows& rows_;
  std::vector<Nearest> nearest_;  // [count]
  std::vector<double> limits_;    // [count]
  AlignedBuffer<uint8_t> codes_;  // [padded]: the limits as codes
  AlignedBuffer<uint8_t> none_;   // [padded]
};

/// Counts the rows closer than a limit, one pair of blocks at a time.
class Counter {
 public:
  Counter(const MaxNormRows& rows, const std::vector<double>& limits)
      : rows_(rows),
        limits_(limits),
        codes_(code_limits(rows, limits)),
        none_(rows.padded()),
        counts_(limits.size()) {
    std::fill_n(none_.data(), rows.padded(), 0);
    for (const double limit : limits) sure_.push_back(rows.sure(limit));
    for (int64_t b = 0; b < rows.blocks(); ++b) {
      const auto begin = limits.begin() + rows.block(b).first;
      const auto [low, high] = std::minmax_element(begin, begin + rows.block(b).length);
      least_.push_back(*low);
      most_.push_back(*high);
    }
  }

  /// Adds the pairs of two blocks to the counts of both, or of a block with itself once.
  void add(int64_t a, int64_t b, TileScratch& scratch) {
    if (rows_.min_distance(a, b) >= std::max(most_[a], most_[b])) return;
    if (rows_.max_distance(a, b) < std::min(least_[a], least_[b])) {
      add_all(a, rows_.block(b).length);
      if (a != b) add_all(b, rows_.block(a).length);
      return;
    }
    rows_.order_coordinates(a, b, scratch.order.data());
    const auto& from = rows_.block(a);
    const auto& to = rows_.block(b);
    visit_near(rows_, a, b, codes_.data() + from.padded,
               a == b ? none_.data() : codes_.data() + to.padded, scratch,
               [&](int64_t r, int64_t c, uint8_t difference) {
                 add_pair(from.first + r, to.first + c, difference, a != b);
               });
  }

  std::vector<int64_t> take() { return std::move(counts_); }

 private:
  void add_all(int64_t block, int64_t more) {
    const auto& [first, length, padded, group] = rows_.block(block);
    for (int64_t i = first; i < first + length; ++i) counts_[i] += more;
  }

  void add_pair(int64_t i, int64_t j, int difference, bool both) {
    const bool sure_i = difference <= sure_[i];
    const bool sure_j = difference <= sure_[j];
    if (sure_i && (sure_j || !both)) {
      ++counts_[i];
      if (both) ++counts_[j];
      return;
    }
    const double enough = both ? std::max(limits_[i], limits_[j]) : limits_[i];
    const double distance = rows_.distance(i, j, enough);
    counts_[i] += distance < limits_[i];
    if (both) counts_[j] += distance < limits_[j];
  }

  const MaxNormRows& rows_;
  const std::vector<double>& limits_;
  AlignedBuffer<uint8_t> codes_;  // [padded]: the limits as codes
  AlignedBuffer<uint8_t> none_;   // [padded]
  std::vector<int> sure_;         // [count]
  std::vector<int64_t> counts_;   // [count]
  std::vector<double> least_;     // [blocks]: smallest limit
  std::vector<double> most_;      // [blocks]: largest limit
};

}  // namespace

KthNeighbors kth_neighbors(const MaxNormRows& rows, int64_t k) {
  NearestSearch search(rows, k);
  auto scratch = scratch_for_threads(rows.dim());
  run_rounds(RoundRobinSchedule(rows.blocks()), [&](const BlockPair& pair, int thread) {
    search.search(pair.row, pair.column, scratch[thread]);
  });
  return search.take();
}

std::vector<int64_t> count_closer(const MaxNormRows& rows, const std::vector<double>& limits,
                                  CountedPairs pairs) {
  Counter counter(rows, limits);
  auto scratch = scratch_for_threads(rows.dim());
  run_rounds(RoundRobinSchedule(rows.blocks()), [&](const BlockPair& pair, int thread) {
    const bool skipped =
        pairs == CountedPairs::kOtherGroups && rows.same_group(pair.row, pair.column);
    if (!skipped) counter.add(pair.row, pair.column, scratch[thread]);
  });
  return counter.take();
}

}  // namespace projnce::kernel
