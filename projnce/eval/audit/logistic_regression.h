#pragma once

#include <cstdint>
#include <vector>

#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/noise_model.h"

namespace projnce::eval {

/// Logits of one linear classifier per fold, each fitted to the rows of the other folds:
/// logit_c = w_c.z + b_c.
class CrossValidatedRegression {
 public:
  /// Starts with zero weights and the logarithm of the class frequencies as biases. `data` must
  /// outlive this.
  explicit CrossValidatedRegression(const FoldData& data);

  /// Minimizes, from the present weights and for every fold f,
  ///
  ///   -sum_{i not in f} log sum_c softmax_c(logits_i) T[c, y_i]  +  weight_decay / 2 sum_c |w_c|^2
  ///
  /// If `noise` is null T is the identity: plain multinomial logistic regression. Otherwise labels
  /// that T explains as mistakes have little influence on the weights (forward correction, Patrini
  /// et al., 2017). The same bits for any number of threads.
  void fit(double weight_decay, const NoiseModel* noise, int max_steps);

  /// Held-out logits of all rows, [N, C]: each row by the classifier that has not seen it.
  std::vector<float> held_out_logits() const;

 private:
  const FoldData* data_;
  std::vector<std::vector<double>> parameters_;  // of each fold: [C, D + 1], the bias last
};

}  // namespace projnce::eval
