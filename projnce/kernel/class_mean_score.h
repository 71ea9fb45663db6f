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
  const int64_t* class_count;      ///< [num_classes]: candidates of each
  int64_t num_classes;
  bool include_self;  ///< if true, an anchor is one of its positives
  double scale;
};

/// Mean over the positives p of each anchor of scale * (anchor . p), [num_anchors]; 0 without
/// positives. Linear, so through class sums: O((N + M) D).
template <class T>
void class_mean_scores(const ClassScoreRows<T>& rows, double* scores);

/// Adds gradient_i * d score_i to the rows' gradients, [rows, dim]; null to skip. Both may be
/// one array if the candidates are the anchors.
template <class T>
void class_mean_score_gradient(const ClassScoreRows<T>& rows, const double* gradient, T* d_anchors,
                               T* d_candidates);

}  // namespace projnce::kernel
