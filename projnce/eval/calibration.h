#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// Expected calibration error (ECE): samples are binned by the probability of their predicted class
/// into `bins` equal intervals, and the gaps between mean probability and accuracy are averaged,
/// weighted by bin size. Probabilities [N, C], labels [N]; N >= 1. 0 is perfect.
double calibration_error(const torch::Tensor& probabilities, const torch::Tensor& labels,
                         int64_t bins = 15);

/// Temperature scaling (Guo et al. 2017): returns the T that minimizes the cross entropy of
/// softmax(scores / T). Scores [N, C] may be logits, cosines or log-probabilities; -inf marks a
/// class that is never predicted. Labels [N] are int64.
///
/// As in Platt scaling, the target probability of a label is (N + 1) / (N + 2), so that a few
/// correct samples do not yield probabilities of 1. Rows whose class is never predicted are
/// skipped; without any row the result is 1.
///
/// `offset` [C] is added to scores / T; with log priors, the result maximizes the class form of
/// class_bound(). It must be finite for every class that is predicted.
double fit_temperature(const torch::Tensor& scores, const torch::Tensor& labels,
                       const torch::Tensor& offset = {});

/// Returns softmax(scores / temperature) in double precision. REQUIRES: temperature > 0.
torch::Tensor tempered_softmax(const torch::Tensor& scores, double temperature);

/// Returns the probabilities of each row with a temperature fitted to the rows of the other folds;
/// row i is in fold i % folds. Measures calibration on the same rows that the temperature is fitted
/// to.
torch::Tensor cross_fitted_probabilities(const torch::Tensor& scores, const torch::Tensor& labels,
                                         int64_t folds = 5);

}  // namespace projnce::eval
