#pragma once

#include <cstdint>
#include <vector>

#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/noise_model.h"

namespace projnce::eval {

/// Logistic regression with one linear classifier per fold, fitted to the rows of the other folds:
/// logit_c = w_c.z + b_c.
class CrossValidatedRegression {
 public:
  /// Initializes the weights with zero and the biases with the log class frequencies. `data` must
  /// outlive this object.
  explicit CrossValidatedRegression(const FoldData& data);

  /// Minimizes, starting from the current weights, for every fold f,
  ///
  ///   -sum_{i not in f} log sum_c softmax_c(logits_i) T[c, y_i]  +  weight_decay / 2 sum_c |w_c|^2
  ///
  /// If `noise` is null, T is the identity: plain multinomial logistic regression. Otherwise labels
  /// that T explains as mistakes have little influence on the weights (forward correction, Patrini
  /// et al., 2017). Bit-identical for any number of threads.
  void fit(double weight_decay, const NoiseModel* noise, int max_steps);

  /// Returns the held-out logits [N, C]: each row is scored by the classifier that has not seen it.
  std::vector<float> held_out_logits() const;

 private:
  const FoldData* data_;
  std::vector<std::vector<double>> parameters_;  // per fold: [C, D + 1], bias last
};

}  // namespace projnce::eval
