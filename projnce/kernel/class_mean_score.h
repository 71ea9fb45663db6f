#pragma once

#include <cstdint>

namespace projnce::kernel {

/// Anchors and the rows of their classes.
template <class T>
struct ClassScoreRows {
  const T* anchors;  ///< [num_anchors, dim]: rows first_anchor .. of the candidates
  int64_t num_anchors;
  int64_t first_anchor;
  const T* candidates;  ///< [num_candidates, dim]
  int64_t num_candidates;
  int64_t dim;
  const int64_t* candidate_class;  ///< [num_candidates], 0 .. num_classes-1
  const int64_t* class_count;      ///< [num_classes]: number of candidates per class
  int64_t num_classes;
  bool include_self;  ///< if true, an anchor is one of its own positives
  double scale;
};

/// Computes the mean of scale * (anchor . p) over the positives p of each anchor, [num_anchors]; 0
/// without positives. Uses class sums, since the mean is linear: O((N + M) D).
template <class T>
void class_mean_scores(const ClassScoreRows<T>& rows, double* scores);

/// Adds gradient_i * d score_i to the gradients of the rows, [rows, dim]; null skips one. Both may
/// be the same array if the candidates are the anchors.
template <class T>
void class_mean_score_gradient(const ClassScoreRows<T>& rows, const double* gradient, T* d_anchors,
                               T* d_candidates);

}  // namespace projnce::kernel
