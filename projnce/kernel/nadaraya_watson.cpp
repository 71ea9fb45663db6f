#include "projnce/kernel/nadaraya_watson.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "projnce/kernel/blocks.h"
#include "projnce/kernel/panels.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

/// Rows per block: a multiple of every panel width and micro tile height, small enough that the
/// blocks of a typical batch keep many threads busy.
constexpr int64_t kSmoothingBlock = 96;
/// Number of rows below which they are copied by a single thread.
constexpr int64_t kFewRows = 4096;

/// Sorts rows by class, so that most panels have a single class and rows near each other share
/// micro tiles.
std::vector<int64_t> order_by_class(const int64_t* classes, int64_t count, int64_t num_classes) {
  std::vector<int64_t> next(static_cast<size_t>(num_classes) + 1, 0);
  for (int64_t j = 0; j < count; ++j) ++next[static_cast<size_t>(classes[j]) + 1];
  for (size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
  std::vector<int64_t> order(static_cast<size_t>(count));
  for (int64_t j = 0; j < count; ++j) {
    order[static_cast<size_t>(next[static_cast<size_t>(classes[j])]++)] = j;
  }
  return order;
}

template <class T>
AlignedBuffer<T> zeros(int64_t count) {
  AlignedBuffer<T> buffer(count);
  std::fill_n(buffer.data(), count, T{0});
  return buffer;
}

template <class T>
class SortedRows {
 public:
  explicit SortedRows(const SmoothingProblem<T>& problem)
      : problem_(problem),
        order_(order_by_class(problem.classes, problem.count, problem.num_classes)),
        stride_(round_up(std::max<int64_t>(problem.dim, 1), 64 / static_cast<int64_t>(sizeof(T)))),
        padded_count_(round_up(problem.count, kSmoothingBlock)),
        classes_(order_.size()),
        rows_(problem.count * stride_),
        panels_(copy_rows(), problem.count, stride_) {
    for (size_t j = 0; j < order_.size(); ++j) classes_[j] = problem.classes[order_[j]];
    if (problem.metric != Metric::kCosine) set_reach();
  }

  SmoothingRows<T> view() const {
    return {
        .rows = rows_.data(),
        .classes = classes_.data(),
        .reach = reach_.empty() ? nullptr : reach_.data(),
        .stride = stride_,
        .dim = problem_.dim,
        .padded_count = padded_count_,
        .metric = problem_.metric,
        .kernel = problem_.kernel,
        // A bandwidth too small for T must not become 0, which would give 0 / 0 for equal rows.
        .bandwidth = std::max(static_cast<T>(problem_.bandwidth), std::numeric_limits<T>::min())};
  }
  const RowPanels<T>& panels() const { return panels_; }
  int64_t stride() const { return stride_; }
  int64_t padded_count() const { return padded_count_; }
  /// Returns the original index of sorted row j.
  int64_t origin(int64_t j) const { return order_[static_cast<size_t>(j)]; }

 private:
  const T* copy_rows() {
#pragma omp parallel for schedule(static) if (problem_.count > kFewRows)
    for (int64_t j = 0; j < problem_.count; ++j) {
      T* to = rows_.data() + j * stride_;
      std::copy_n(problem_.rows + origin(j) * problem_.dim, problem_.dim, to);
      std::fill(to + problem_.dim, to + stride_, T{0});
    }
    return rows_.data();
  }

  /// A pair is outside the support if |u|^2 + |v|^2 - 2 u.v > bandwidth^2; a margin accounts for
  /// the rounding of a dot product of `dim` terms. The test is disabled if it cannot reject any
  /// pair or if squares overflow.
  void set_reach() {
    std::vector<double> squares(order_.size());
    double largest = 0;
    for (int64_t j = 0; j < problem_.count; ++j) {
      const T* row = rows_.data() + j * stride_;
      double sum = 0;
      for (int64_t k = 0; k < problem_.dim; ++k) sum += static_cast<double>(row[k]) * row[k];
      squares[static_cast<size_t>(j)] = sum;
      largest = std::max(largest, sum);  // ignores NaN, which is never outside
    }
    const double limit = problem_.bandwidth * problem_.bandwidth;
    if (!(largest < std::numeric_limits<T>::max() / 8) || limit >= 4 * largest) return;
    const double margin = static_cast<double>(problem_.dim + 8) * std::numeric_limits<T>::epsilon();
    reach_.assign(static_cast<size_t>(padded_count_), std::numeric_limits<T>::infinity());
    for (size_t j = 0; j < squares.size(); ++j) {
      reach_[j] = static_cast<T>((1 - margin) * squares[j] / 2 - (1 + margin) * limit / 4);
    }
  }

  const SmoothingProblem<T>& problem_;
  std::vector<int64_t> order_;
  int64_t stride_;
  int64_t padded_count_;
  std::vector<int64_t> classes_;
  AlignedBuffer<T> rows_;
  RowPanels<T> panels_;
  std::vector<T> reach_;  // empty if the test is disabled
};

/// Calls work(panel) for panels that together cover every pair of rows once; panels that share rows
/// are processed in a fixed order.
template <class T, class Work>
void for_each_panel(const SortedRows<T>& sorted, int64_t count, const Work& work) {
  const auto view = sorted.view();
  const RowBlocks blocks{count, kSmoothingBlock};
  const int64_t width = sorted.panels().width();
  run_rounds(RoundRobinSchedule(blocks.count()), [&](BlockPair pair, int /*thread*/) {
    const int64_t end = blocks.begin(pair.column) + blocks.length(pair.column);
    for (int64_t column = blocks.begin(pair.column); column < end; column += width) {
      work(SmoothingPanel<T>{.all = &view,
                             .first_row = blocks.begin(pair.row),
                             .row_count = blocks.length(pair.row),
                             .first_column = column,
                             .columns = std::min(width, end - column),
                             .panel = sorted.panels().from_row(column)});
    }
  });
}

}  // namespace

template <class T>
void kernel_sums(const SmoothingProblem<T>& problem, double* sums) {
  const SortedRows<T> sorted(problem);
  const int64_t padded = sorted.padded_count();
  const auto by_class = zeros<double>(problem.num_classes * padded);  // [K, N]
  for_each_panel(sorted, problem.count, [&](const SmoothingPanel<T>& panel) {
    kernels<T>().add_kernel_sums(panel, by_class.data());
  });
#pragma omp parallel for schedule(static) if (problem.count > kFewRows)
  for (int64_t j = 0; j < problem.count; ++j) {
    double* to = sums + sorted.origin(j) * problem.num_classes;
    for (int64_t c = 0; c < problem.num_classes; ++c) to[c] = by_class[c * padded + j];
  }
}

template <class T>
void kernel_sums_gradient(const SmoothingProblem<T>& problem, const double* sum_grads,
                          T* row_grads) {
  const SortedRows<T> sorted(problem);
  const int64_t padded = sorted.padded_count();
  const int64_t stride = sorted.stride();
  const auto by_class = zeros<T>(problem.num_classes * padded);  // [K, N]
#pragma omp parallel for schedule(static) if (problem.count > kFewRows)
  for (int64_t j = 0; j < problem.count; ++j) {
    const double* from = sum_grads + sorted.origin(j) * problem.num_classes;
    for (int64_t c = 0; c < problem.num_classes; ++c) {
      by_class[c * padded + j] = static_cast<T>(from[c]);
    }
  }
  const auto gathered = zeros<T>(problem.count * stride);
  for_each_panel(sorted, problem.count, [&](const SmoothingPanel<T>& panel) {
    kernels<T>().accumulate_kernel_grad(panel, by_class.data(), gathered.data());
  });
#pragma omp parallel for schedule(static) if (problem.count > kFewRows)
  for (int64_t j = 0; j < problem.count; ++j) {
    std::copy_n(gathered.data() + j * stride, problem.dim,
                row_grads + sorted.origin(j) * problem.dim);
  }
}

template void kernel_sums<float>(const SmoothingProblem<float>&, double*);
template void kernel_sums<double>(const SmoothingProblem<double>&, double*);
template void kernel_sums_gradient<float>(const SmoothingProblem<float>&, const double*, float*);
template void kernel_sums_gradient<double>(const SmoothingProblem<double>&, const double*, double*);

}  // namespace projnce::kernel
