#include "projnce/kernel/class_mean_score.h"

#include <algorithm>
#include <vector>

#include "projnce/kernel/blocks.h"

namespace projnce::kernel {

namespace {

constexpr int64_t kColumns = 32;  // columns per task, summed over all rows
constexpr int64_t kRows = 256;    // rows per task

/// Returns the weighted sum of the rows of each class, [num_classes, dim]; null weights are 1.
/// Threads split columns, not rows, so that the order of the sums does not depend on them.
template <class T>
std::vector<double> class_sums_of(const T* rows, const int64_t* classes, int64_t count, int64_t dim,
                                  int64_t num_classes, const double* weight) {
  std::vector<double> sums(static_cast<size_t>(num_classes * dim));
  run_parallel((dim + kColumns - 1) / kColumns, [&](int64_t task, int) {
    const int64_t begin = task * kColumns;
    const int64_t width = std::min(kColumns, dim - begin);
    for (int64_t i = 0; i < count; ++i) {
      const T* from = rows + i * dim + begin;
      double* to = sums.data() + classes[i] * dim + begin;
      const double w = weight ? weight[i] : 1;
      for (int64_t k = 0; k < width; ++k) to[k] += w * from[k];
    }
  });
  return sums;
}

template <class T>
const int64_t* anchor_class(const ClassScoreRows<T>& rows) {
  return rows.candidate_class + rows.first_anchor;
}

/// scale / |positives| of an anchor; 0 without positives.
template <class T>
double mean_weight(const ClassScoreRows<T>& rows, int64_t anchor) {
  const int64_t count = rows.class_count[anchor_class(rows)[anchor]] - (rows.include_self ? 0 : 1);
  return count > 0 ? rows.scale / static_cast<double>(count) : 0;
}

/// Calls work(i) for every row on all threads.
template <class Work>
void for_each_row(int64_t count, const Work& work) {
  run_parallel((count + kRows - 1) / kRows, [&](int64_t task, int) {
    const int64_t end = std::min(count, (task + 1) * kRows);
    for (int64_t i = task * kRows; i < end; ++i) work(i);
  });
}

}  // namespace

template <class T>
void class_mean_scores(const ClassScoreRows<T>& rows, double* scores) {
  const auto sums = class_sums_of<T>(rows.candidates, rows.candidate_class, rows.num_candidates,
                                     rows.dim, rows.num_classes, nullptr);
  const double self_weight = rows.include_self ? 0 : 1;
  for_each_row(rows.num_anchors, [&](int64_t i) {
    const T* anchor = rows.anchors + i * rows.dim;
    const T* self = rows.candidates + (rows.first_anchor + i) * rows.dim;
    const double* sum = sums.data() + anchor_class(rows)[i] * rows.dim;
    double dot = 0;
#pragma omp simd reduction(+ : dot)
    for (int64_t k = 0; k < rows.dim; ++k) dot += anchor[k] * (sum[k] - self_weight * self[k]);
    scores[i] = dot * mean_weight(rows, i);
  });
}

template <class T>
void class_mean_score_gradient(const ClassScoreRows<T>& rows, const double* gradient, T* d_anchors,
                               T* d_candidates) {
  std::vector<double> weight(static_cast<size_t>(rows.num_anchors));
  for (int64_t i = 0; i < rows.num_anchors; ++i) {
    weight[static_cast<size_t>(i)] = gradient[i] * mean_weight(rows, i);
  }
  const double self_weight = rows.include_self ? 0 : 1;
  if (d_anchors) {
    const auto sums = class_sums_of<T>(rows.candidates, rows.candidate_class, rows.num_candidates,
                                       rows.dim, rows.num_classes, nullptr);
    for_each_row(rows.num_anchors, [&](int64_t i) {
      const double w = weight[static_cast<size_t>(i)];
      const T* self = rows.candidates + (rows.first_anchor + i) * rows.dim;
      const double* sum = sums.data() + anchor_class(rows)[i] * rows.dim;
      T* to = d_anchors + i * rows.dim;
      for (int64_t k = 0; k < rows.dim; ++k) {
        to[k] += static_cast<T>(w * (sum[k] - self_weight * self[k]));
      }
    });
  }
  if (!d_candidates) return;
  const auto class_grads = class_sums_of<T>(rows.anchors, anchor_class(rows), rows.num_anchors,
                                            rows.dim, rows.num_classes, weight.data());
  for_each_row(rows.num_candidates, [&](int64_t j) {
    const int64_t i = j - rows.first_anchor;
    const bool is_anchor = i >= 0 && i < rows.num_anchors;
    const double own = is_anchor ? self_weight * weight[static_cast<size_t>(i)] : 0;
    const T* anchor = rows.anchors + (is_anchor ? i : 0) * rows.dim;
    const double* sum = class_grads.data() + rows.candidate_class[j] * rows.dim;
    T* to = d_candidates + j * rows.dim;
    for (int64_t k = 0; k < rows.dim; ++k) to[k] += static_cast<T>(sum[k] - own * anchor[k]);
  });
}

template void class_mean_scores(const ClassScoreRows<float>&, double*);
template void class_mean_scores(const ClassScoreRows<double>&, double*);
template void class_mean_score_gradient(const ClassScoreRows<float>&, const double*, float*,
                                        float*);
template void class_mean_score_gradient(const ClassScoreRows<double>&, const double*, double*,
                                        double*);

}  // namespace projnce::kernel
