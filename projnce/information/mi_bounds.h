#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "projnce/information/bound_terms.h"

namespace projnce::information {

/// Certified lower bounds on I(Z;C), the information in nats between the embedding of a random view
/// and its label. They rest on the inequality of Nguyen, Wainwright and Jordan (2010): for every
/// r(z, c) > 0 that does not depend on the evaluated row,
///
///   E[log r(z, c)] + 1 - E[sum_c pi_c r(z, c)]  <=  I(Z;C).
///
/// Certified means that the expectation is at most I(Z;C), if
///   1. the instances are independent draws from the population,
///   2. encoder, class vectors, temperature and estimated priors do not depend on the evaluated
///      rows, so rows that the encoder was trained on do not qualify,
///   3. the encoder runs in evaluation mode.
/// A single estimate can exceed I(Z;C) by chance: consider the standard error.
///
/// All computation is in float64 on the CPU, whatever the type and device of the rows.
struct LabeledRows {
  torch::Tensor embeddings;  ///< [N, D], N >= 1, finite; any norm
  torch::Tensor labels;      ///< [N], int64, in 0..M-1
  /// [N], int64: views of one sample share an id. Undefined: each row is an instance of its own.
  torch::Tensor instances = {};
};

/// Settings of pair_bound, general_bound and class_bound.
struct BoundOptions {
  double temperature = 0.07;  ///< tau, above 0; any value that was chosen on other rows is valid
  ClassPriors priors;         ///< of all M classes; num_classes must be set
  /// Number of disjoint random batches of instances over which the pair form (and the general form
  /// without `negatives`) is averaged; their spread gives the standard error. 0: one for every 512
  /// instances, at least 1 and at most 10.
  int64_t batches = 0;
  uint64_t seed = 0;  ///< assigns instances to batches
};

/// A bound, and its terms by row. With estimated priors, `value` and `normalized` are the means of
/// the terms minus `correction`, which the terms do not contain.
struct BoundResult {
  double value = 0;       ///< mean of T_i = 1 + log r_i(c_i) - sum_c pi_c r_i(c)
  double normalized = 0;  ///< mean of T'_i = log r_i(c_i) - log sum_c pi_c r_i(c), at least `value`
  std::optional<double> se;             ///< standard error of `value`; none for a single batch
  std::optional<double> normalized_se;  ///< standard error of `normalized`
  torch::Tensor terms;                  ///< the terms T_i, [N]
  torch::Tensor normalized_terms;       ///< the terms T'_i, [N]
  torch::Tensor log_ratio;              ///< [N]: log r_i(c_i)
  torch::Tensor mean_ratio;             ///< [N]: sum_c pi_c r_i(c)
  int64_t rows = 0;                     ///< N
  /// H(C): the mean of -log pi_{c_i}, with estimated priors the entropy of the label frequencies.
  /// Neither value can be larger.
  double entropy = 0;
  double correction = 0;  ///< KL(f || pi) that was subtracted; 0 if the priors are known
};

/// Pair form: rows against class centroids and rows, all without the row's own instance. With O(i)
/// the rows of other instances,
///
///   m_c = mean of z_k over k in O(i), c_k = c          a_i = mean_{k in O(i)} e^{z_i.z_k / tau}
///   r_i(c) = e^{z_i.m_c / tau} / a_i,  and 1 for classes that do not occur in O(i).
///
/// All T_i are 0 if there is one instance only. Takes O(N (D + M_b)) memory for the M_b classes
/// present.
BoundResult pair_bound(const LabeledRows& rows, const BoundOptions& options);

/// General form: r_i(c) = e^{z_i.g_c / tau} / mean_k e^{z_i.h_k / tau} with `class_vectors` g
/// [M, D] and `negatives` h [K, D], neither of which may depend on the evaluated rows. Undefined
/// `negatives`: the rows of the other instances. r_i(c) is 1 for a class without a vector, whose
/// row in `class_vectors` is NaN. T_i may be -infinity, because ratios are not limited here.
BoundResult general_bound(const LabeledRows& rows, const torch::Tensor& class_vectors,
                          const torch::Tensor& negatives, const BoundOptions& options);

/// Class form: s_ic = z_i.g_c / tau with one vector for each class, r_i(c) = q(c|z_i) / pi_c with
/// q(c|z) proportional to pi_c e^{s_c}, so
///
///   T_i = T'_i = s_{i,c_i} - log( sum_c pi_c e^{s_ic} / sum_c pi_c ),
///
/// both sums over classes with a vector. A class without one, whose row is NaN, keeps q = pi_c:
/// its rows count with T_i = 0. Instance ids only affect the standard error.
BoundResult class_bound(const LabeledRows& rows, const torch::Tensor& class_vectors,
                        const BoundOptions& options);

/// Class form of a classifier with logits x [N, M]: s_ic = x_ic - log pi_c, so the value is the
/// mean of -log pi_{c_i} minus the cross entropy. REQUIRES: pi_c > 0 for every class.
BoundResult class_bound_from_logits(const torch::Tensor& logits, const torch::Tensor& labels,
                                    const ClassPriors& priors);

}  // namespace projnce::information
