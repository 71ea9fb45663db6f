#pragma once

#include <torch/types.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace projnce::eval {

/// The fold, 0 .. folds - 1, of each sample: drawn by the seed, classes and folds as even as they
/// can be. A class of two samples or more lies in two folds or more.
/// REQUIRES: labels are in 0 .. num_classes - 1, folds >= 2.
std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t num_classes,
                                      int64_t folds, uint64_t seed);

/// Rows [begin, end).
struct RowRange {
  int64_t begin;  ///< first row
  int64_t end;    ///< behind the last row
};

/// Labeled rows in the order of their cross-validation folds, so that every fold is one block of
/// rows and nothing is copied to leave one out. Classes that occur are numbered 0 .. classes - 1.
struct FoldData {
  torch::Tensor rows;                 // [N, D], float
  std::vector<int64_t> labels;        // [N]
  std::vector<int64_t> class_counts;  // [C]
  std::vector<RowRange> folds;        ///< the rows of each fold
  std::vector<int64_t> original;      ///< the row's place before it was sorted

  int64_t size() const { return rows.size(0); }  ///< N
  int64_t dim() const { return rows.size(1); }   ///< D
  /// C
  int64_t classes() const { return static_cast<int64_t>(class_counts.size()); }
};

/// Centers the rows and scales them to a mean squared norm of one, so that units and origin do not
/// matter, and sorts them into stratified folds. `labels` are in 0 .. num_classes - 1 and every
/// class occurs. Throws if all rows are equal.
FoldData make_fold_data(const torch::Tensor& embeddings, const std::vector<int64_t>& labels,
                        int64_t num_classes, int64_t folds, uint64_t seed);

}  // namespace projnce::eval
