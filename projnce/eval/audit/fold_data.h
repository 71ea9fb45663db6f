#pragma once

#include <torch/types.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace projnce::eval {

/// Assigns each sample to a fold, 0 .. folds - 1: random and stratified by class. A class of at
/// least two samples is in at least two folds.
/// REQUIRES: labels are in 0 .. num_classes - 1, folds >= 2.
std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t num_classes,
                                      int64_t folds, uint64_t seed);

/// Rows [begin, end).
struct RowRange {
  int64_t begin;  ///< first row
  int64_t end;    ///< one past the last row
};

/// Labeled rows sorted by cross-validation fold, so that each fold is a contiguous block and can be
/// excluded without copying. Classes are numbered 0 .. classes - 1, without absent ones.
struct FoldData {
  torch::Tensor rows;                 // [N, D], float
  std::vector<int64_t> labels;        // [N]
  std::vector<int64_t> class_counts;  // [C]
  std::vector<RowRange> folds;        ///< rows of each fold
  std::vector<int64_t> original;      ///< original index of each row

  int64_t size() const { return rows.size(0); }  ///< N
  int64_t dim() const { return rows.size(1); }   ///< D
  /// C
  int64_t classes() const { return static_cast<int64_t>(class_counts.size()); }
};

/// Centers the rows, scales them to a mean squared norm of one, so that units and origin do not
/// matter, and sorts them into stratified folds. Throws if all rows are equal. REQUIRES: `labels`
/// are in 0 .. num_classes - 1 and every class occurs.
FoldData make_fold_data(const torch::Tensor& embeddings, const std::vector<int64_t>& labels,
                        int64_t num_classes, int64_t folds, uint64_t seed);

}  // namespace projnce::eval
