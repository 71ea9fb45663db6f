#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "projnce/loss/supcon.h"

namespace projnce::testing {

using Indices = std::vector<size_t>;
using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b);

/// Rows as plain numbers, with the scores between them: the oracles of the tests are double loops
/// over these, slow and hard to get wrong. Rows are float64 [N, D], labels [N].
struct NaivePairs {
  static constexpr size_t kNoRow = static_cast<size_t>(-1);

  std::vector<Vector> z;
  std::vector<int64_t> y;
  double t;

  NaivePairs(const torch::Tensor& rows, const torch::Tensor& labels, double temperature);

  size_t size() const { return z.size(); }
  double s(size_t i, size_t j) const { return dot(z[i], z[j]) / t; }

  Indices where(const std::function<bool(size_t)>& wanted) const;
  Indices positives(size_t i, bool self) const;
  Indices negatives(size_t i) const;
  Indices candidates(size_t i, bool self) const;

  /// Mean of the scores, and sum of their exponentials.
  double mean(size_t i, const Indices& set) const;
  double sum_of_exponentials(size_t i, const Indices& set) const;
  /// Mean of the rows of class c without row `without`, which replaces it if there are no others.
  Vector centroid(int64_t c, size_t without) const;

  /// Sum of the terms of valid anchors, divided by all anchors or by the valid ones.
  double average(loss::EmptyPositives empty, const std::function<bool(size_t)>& valid,
                 const std::function<double(size_t)>& term) const;
};

/// The formula of supcon.h.
double naive_supcon(const torch::Tensor& rows, const torch::Tensor& labels,
                    const loss::SupConOptions& options);

/// -z_i.g_{y_i}/t + log sum over rows j of e^{z_i.g_{y_j}/t}; row c of `g` is the vector of class
/// c.
double naive_class_infonce(const torch::Tensor& rows, const torch::Tensor& labels,
                           const torch::Tensor& g, double temperature, bool include_self);

}  // namespace projnce::testing
