#include "projnce/kernel/nearest_rows.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "projnce/kernel/blocks.h"
#include "projnce/kernel/panels.h"
#include "projnce/kernel/row_sketch.h"
#include "projnce/kernel/select_above.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

// Multiples of every micro tile and panel. With 128 dimensions, a tile stays in the L2 cache.
constexpr int64_t kQueryBlock = 96;
constexpr int64_t kReferenceBlock = 192;
// Minimum number of rows and dimensions for which a sketch may pay off.
constexpr int64_t kSketchRows = 2048;
constexpr int64_t kSketchDim = 96;

/// Orders by descending score, then by ascending index.
struct ComesBefore {
  template <class T>
  bool operator()(const Candidate<T>& a, const Candidate<T>& b) const {
    return static_cast<int>(a.score > b.score) |
           (static_cast<int>(a.score == b.score) & static_cast<int>(a.index < b.index));
  }
};

/// The best candidates of one query found so far.
template <class T>
class CandidateList {
 public:
  /// Keeps the `wanted` best candidates and all within `slack` of the last of them.
  void reset(int64_t wanted, T slack) {
    wanted_ = wanted;
    slack_ = slack;
    limit_ = -std::numeric_limits<T>::infinity();
    count_ = 0;
    reserve(2 * wanted + 2 * kReferenceBlock);
  }

  /// Candidates that do not score above this can be ignored.
  T limit() const { return limit_; }
  int64_t count() const { return count_; }
  Candidate<T>* data() { return kept_.data(); }

  /// Returns the end of the list, with room for one more block.
  Candidate<T>* end() { return kept_.data() + count_; }

  void grew_by(int64_t added) {
    count_ += added;
    if (count_ + kReferenceBlock + kSlop <= capacity()) return;
    prune();
    if (count_ + kReferenceBlock + kSlop > capacity()) reserve(2 * capacity());
  }

  void prune() {
    if (count_ <= wanted_) return;
    Candidate<T>* last = data() + wanted_ - 1;
    std::nth_element(data(), last, end(), ComesBefore{});
    limit_ = last->score - slack_;
    if (slack_ > 0) {
      const auto keep = [this](const Candidate<T>& c) { return c.score > limit_; };
      count_ = std::partition(last + 1, end(), keep) - data();
    } else {
      count_ = wanted_;
    }
  }

 private:
  static constexpr int64_t kSlop = 16;  // maximum number of entries written beyond the end

  int64_t capacity() const { return static_cast<int64_t>(kept_.size()); }
  void reserve(int64_t size) {
    if (capacity() < size + kSlop) kept_.resize(static_cast<size_t>(size + kSlop));
  }

  int64_t wanted_ = 0;
  T slack_ = 0;
  T limit_ = 0;
  int64_t count_ = 0;
  std::vector<Candidate<T>> kept_;
};

template <class T>
double squared_length(const T* u, int64_t dim) {
  double sum = 0;
  for (int64_t k = 0; k < dim; ++k) sum += static_cast<double>(u[k]) * u[k];
  return sum;
}

/// Counts the tiles processed through a sketch, over all threads, and decides whether to keep using
/// it. The result does not depend on it: a sketch only saves work.
class SketchUse {
 public:
  bool pays() const {
    const int64_t tried = tried_.load(std::memory_order_relaxed);
    return tried < kTrial || 4 * skipped_.load(std::memory_order_relaxed) > tried;
  }
  void count(bool skipped) {
    tried_.fetch_add(1, std::memory_order_relaxed);
    if (skipped) skipped_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  static constexpr int64_t kTrial = 512;
  std::atomic<int64_t> tried_{0};
  std::atomic<int64_t> skipped_{0};
};

/// State of the references shared by all queries.
template <class T>
class NearestReferences {
 public:
  /// If `sketch` is not null, rows are in its order.
  NearestReferences(const NearestProblem<T>& problem, const RowSketch<T>* sketch)
      : problem_(problem),
        sketch_(sketch),
        table_(kernels<T>()),
        panels_(problem.references, problem.num_references, problem.dim),
        offsets_(static_cast<size_t>(problem.num_references), T{0}) {
    if (problem.similarity == Similarity::kDotProduct) return;
    for (int64_t r = 0; r < problem.num_references; ++r) {
      const double square = squared_length(reference(r), problem.dim);
      offsets_[static_cast<size_t>(r)] = static_cast<T>(square / 2);
      longest_ = std::max(longest_, std::sqrt(square));
    }
    if (sketch_) {
      sketch_panels_.emplace(sketch_->coordinates(), problem.num_references, kDirections);
    }
  }

  /// Finds the neighbors of a block of queries. `tile` has room for the products of two blocks.
  void find(int64_t first, int64_t count, T* tile, std::vector<CandidateList<T>>& lists,
            int64_t* indices, T* scores) const {
    for (int64_t q = 0; q < count; ++q) {
      lists[static_cast<size_t>(q)].reset(problem_.neighbors, slack(first + q));
    }
    const RowBlocks blocks{problem_.num_references, kReferenceBlock};
    const int64_t own = sketch_ ? first / kReferenceBlock : 0;
    scan(first, count, blocks.begin(own), blocks.length(own), tile, lists);
    for (int64_t away = 1; away < blocks.count(); ++away) {
      // Tighter limits let the sketch skip more tiles.
      if (sketch_ && std::has_single_bit(static_cast<uint64_t>(away))) {
        for (int64_t q = 0; q < count; ++q) lists[static_cast<size_t>(q)].prune();
      }
      for (const int64_t b : {own + away, own - away}) {
        if (b >= 0 && b < blocks.count()) {
          scan(first, count, blocks.begin(b), blocks.length(b), tile, lists);
        }
      }
    }
    for (int64_t q = 0; q < count; ++q) {
      const int64_t to = original_index(first + q) * problem_.neighbors;
      finish(first + q, lists[static_cast<size_t>(q)], indices + to, scores + to);
    }
  }

 private:
  struct RowPair {
    int64_t query;
    int64_t reference;
  };
  static constexpr int64_t kDirections = RowSketch<T>::kDirections;
  static constexpr size_t kFewPairs = 1024;  // maximum pairs left of the 18 432 of a tile
  static constexpr size_t kAhead = 4;        // references to prefetch

  /// Prefetches a reference; candidates are scattered in memory.
  void fetch(int64_t r) const {
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
    for (int64_t k = 0; k < problem_.dim; k += kLine) __builtin_prefetch(reference(r) + k);
  }

  /// Returns the original index of a row, before reordering by the sketch.
  int32_t original_index(int64_t row) const {
    return sketch_ ? sketch_->order()[static_cast<size_t>(row)] : static_cast<int32_t>(row);
  }

  const T* query(int64_t q) const { return problem_.queries + q * problem_.dim; }
  const T* reference(int64_t r) const { return problem_.references + r * problem_.dim; }

  /// Twice the maximum rounding error of u.v - |v|^2 / 2.
  T slack(int64_t q) const {
    if (problem_.similarity == Similarity::kDotProduct) return 0;
    const double length = std::sqrt(squared_length(query(q), problem_.dim));
    const double terms = static_cast<double>(problem_.dim + 8);
    return static_cast<T>(2 * terms * std::numeric_limits<T>::epsilon() * longest_ *
                          (length + longest_)) +
           std::numeric_limits<T>::min();  // keeps ties between rows of zeros
  }

  void scan(int64_t first_query, int64_t queries, int64_t first_reference, int64_t references,
            T* tile, std::vector<CandidateList<T>>& lists) const {
    if (sketch_ && use_.pays()) {
      const bool skipped =
          scan_sketch(first_query, queries, first_reference, references, tile, lists);
      use_.count(skipped);
      if (skipped) return;
    }
    table_.dot_tile(query(first_query), problem_.dim, queries, panels_.from_row(first_reference),
                    panels_.panels(references), problem_.dim, tile, kReferenceBlock);
    for (int64_t q = 0; q < queries; ++q) {
      T* products = tile + q * kReferenceBlock;
      const int64_t self = first_query + q - first_reference;
      if (problem_.exclude_self && self >= 0 && self < references) {
        products[self] = -std::numeric_limits<T>::infinity();
      }
      auto& list = lists[static_cast<size_t>(q)];
      list.grew_by(table_.select_above(products, offsets_.data() + first_reference, references,
                                       list.limit(), static_cast<int32_t>(first_reference),
                                       list.end()));
    }
  }

  /// Processes a tile through the sketch, which rules out nearly every pair of two clusters, and
  /// computes the remaining pairs one by one. Returns false and does nothing if too many remain.
  bool scan_sketch(int64_t first_query, int64_t queries, int64_t first_reference,
                   int64_t references, T* tile, std::vector<CandidateList<T>>& lists) const {
    table_.dot_tile(sketch_->coordinates() + first_query * kDirections, kDirections, queries,
                    sketch_panels_->from_row(first_reference), sketch_panels_->panels(references),
                    kDirections, tile, kReferenceBlock);
    std::array<RowPair, kFewPairs> left;
    size_t count = 0;
    for (int64_t q = first_query; q < first_query + queries; ++q) {
      const T* products = tile + (q - first_query) * kReferenceBlock;
      const T* offsets = offsets_.data() + first_reference;
      const T* residuals = sketch_->residuals() + first_reference;
      const T residual = sketch_->residuals()[q];
      const T limit = lists[static_cast<size_t>(q - first_query)].limit();
      if (!table_.any_above(products, offsets, residuals, references, residual, limit)) continue;
      for (int64_t c = 0; c < references; ++c) {
        if (!(products[c] - offsets[c] + residual * residuals[c] > limit)) continue;
        if (count == left.size()) return false;
        left[count++] = {q, first_reference + c};
      }
    }
    for (size_t i = 0; i < count; ++i) {
      add_pair(left[i], lists[static_cast<size_t>(left[i].query - first_query)]);
    }
    return true;
  }

  void add_pair(const RowPair& pair, CandidateList<T>& list) const {
    if (pair.query == pair.reference) return;  // sketches are only used with exclude_self
    const T* u = query(pair.query);
    const double distance = table_.squared_distance(u, reference(pair.reference), problem_.dim);
    const auto score = static_cast<T>(offsets_[static_cast<size_t>(pair.query)] - distance / 2);
    if (!(score > list.limit())) return;
    *list.end() = {score, static_cast<int32_t>(pair.reference)};
    list.grew_by(1);
  }

  void finish(int64_t q, CandidateList<T>& list, int64_t* indices, T* scores) const {
    list.prune();
    if (problem_.similarity == Similarity::kDistance) {
      order_by_distance(q, list, indices, scores);
      return;
    }
    Candidate<T>* best = list.data();
    std::sort(best, best + problem_.neighbors, ComesBefore{});
    for (int64_t i = 0; i < problem_.neighbors; ++i) {
      indices[i] = best[i].index;
      scores[i] = best[i].score;
    }
  }

  void order_by_distance(int64_t q, CandidateList<T>& list, int64_t* indices, T* scores) const {
    std::vector<Candidate<double>> exact(static_cast<size_t>(list.count()));
    for (size_t i = 0; i < exact.size(); ++i) {
      if (i + kAhead < exact.size()) fetch(list.data()[i + kAhead].index);
      const int32_t index = list.data()[i].index;
      exact[i] = {-table_.squared_distance(query(q), reference(index), problem_.dim),
                  original_index(index)};
    }
    const auto last = exact.begin() + problem_.neighbors - 1;
    std::nth_element(exact.begin(), last, exact.end(), ComesBefore{});
    std::sort(exact.begin(), last, ComesBefore{});
    for (int64_t i = 0; i < problem_.neighbors; ++i) {
      indices[i] = exact[static_cast<size_t>(i)].index;
      scores[i] = static_cast<T>(std::sqrt(-exact[static_cast<size_t>(i)].score));
    }
  }

  const NearestProblem<T>& problem_;
  const RowSketch<T>* sketch_;
  std::optional<RowPanels<T>> sketch_panels_;
  mutable SketchUse use_;
  const KernelTable<T>& table_;
  RowPanels<T> panels_;
  std::vector<T> offsets_;  // |v|^2 / 2 for distances: the nearest maximizes u.v - |v|^2 / 2
  double longest_ = 0;
};

template <class T>
void find_all(const NearestProblem<T>& problem, const RowSketch<T>* sketch, int64_t* indices,
              T* scores) {
  const NearestReferences<T> references(problem, sketch);
  const RowBlocks blocks{problem.num_queries, kQueryBlock};
#pragma omp parallel if (blocks.count() > 1)
  {
    const AlignedBuffer<T> tile(kQueryBlock * kReferenceBlock);
    std::vector<CandidateList<T>> lists(kQueryBlock);
#pragma omp for schedule(dynamic, 1)
    for (int64_t b = 0; b < blocks.count(); ++b) {
      references.find(blocks.begin(b), blocks.length(b), tile.data(), lists, indices, scores);
    }
  }
}

/// Searches rows among themselves in the order of a sketch, which can skip most distant pairs.
template <class T>
void find_by_sketch(NearestProblem<T> problem, int64_t* indices, T* scores) {
  const RowSketch<T> sketch(problem.references, problem.num_references, problem.dim);
  const AlignedBuffer<T> rows(problem.num_references * problem.dim);
  for (int64_t r = 0; r < problem.num_references; ++r) {
    std::copy_n(problem.references + sketch.order()[static_cast<size_t>(r)] * problem.dim,
                problem.dim, rows.data() + r * problem.dim);
  }
  problem.queries = problem.references = rows.data();
  find_all(problem, &sketch, indices, scores);
}

}  // namespace

template <class T>
void nearest_rows(const NearestProblem<T>& problem, int64_t* indices, T* scores) {
  const bool among_themselves = problem.queries == problem.references &&
                                problem.num_queries == problem.num_references &&
                                problem.exclude_self;
  if (among_themselves && problem.similarity == Similarity::kDistance &&
      problem.num_references >= kSketchRows && problem.dim >= kSketchDim) {
    find_by_sketch(problem, indices, scores);
  } else {
    find_all<T>(problem, nullptr, indices, scores);
  }
}

template void nearest_rows<float>(const NearestProblem<float>&, int64_t*, float*);
template void nearest_rows<double>(const NearestProblem<double>&, int64_t*, double*);

}  // namespace projnce::kernel
