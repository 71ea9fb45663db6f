#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::eval {

/// Expected calibration error: samples are put into `bins` equal intervals by the probability of
/// their predicted class, and the gaps between that probability and the share that is right are
/// averaged with the bins' sizes. Probabilities [N, C], labels [N]; N >= 1. 0 is perfect.
double calibration_error(const torch::Tensor& probabilities, const torch::Tensor& labels,
                         int64_t bins = 15);

/// Temperature scaling (Guo et al. 2017): the T for which softmax(scores / T) fits the labels best,
/// by cross entropy. Scores [N, C] may be logits, cosines or log-probabilities; minus infinity
/// marks a class that is never predicted. Labels [N] are int64.
///
/// As in Platt's scaling, a label counts as certain to (N + 1) / (N + 2) only, so that a handful of
/// correct samples does not give probabilities of 1. Rows whose own class is never predicted are
/// skipped; without any row the result is 1.
///
/// `offset` [C] is added to scores / T; with log priors the result maximizes the class form of
/// class_bound(). It must be finite if the class is ever predicted.
double fit_temperature(const torch::Tensor& scores, const torch::Tensor& labels,
                       const torch::Tensor& offset = {});

/// softmax(scores / temperature), in double precision. REQUIRES: temperature > 0.
torch::Tensor tempered_softmax(const torch::Tensor& scores, double temperature);

/// Probabilities of each row by a temperature that was fitted to the other folds' rows; row i is in
/// fold i % folds. Use it to measure calibration on the rows that the temperature is fitted to.
torch::Tensor cross_fitted_probabilities(const torch::Tensor& scores, const torch::Tensor& labels,
                                         int64_t folds = 5);

}  // namespace projnce::eval
