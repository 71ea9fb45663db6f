#include "projnce/eval/information_bounds.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/eval/calibration.h"
#include "projnce/eval/nearest_centroid.h"

namespace projnce::eval {

namespace {

/// Maximum number of scores to fit a temperature on; more do not improve it.
constexpr int64_t kFittedScores = 2'000'000;
constexpr int64_t kFewestFittedRows = 1000;
constexpr double kSmallestPrior = 1e-300;  // its logarithm is finite

BoundEstimate estimate_of(const information::BoundResult& bound) {
  return {bound.value, bound.se};
}

/// Keeps every n-th row, so that at most `most` remain.
torch::Tensor subsample(const torch::Tensor& rows, int64_t most) {
  const int64_t step = (rows.size(0) + most - 1) / most;
  return rows.slice(0, 0, rows.size(0), std::max<int64_t>(step, 1));
}

/// Returns the fold of each row, [N]: random by instance, with nearly equal sizes.
torch::Tensor fold_of_rows(const information::LabeledRows& rows, int64_t folds, uint64_t seed) {
  const auto ids = rows.instances.defined() ? rows.instances : torch::arange(rows.labels.size(0));
  const auto instance = std::get<1>(torch::_unique2(ids, true, /*return_inverse=*/true));
  const int64_t instances = instance.max().item<int64_t>() + 1;
  if (folds < 2 || folds > instances) {
    fail("mi bound: folds = ", folds, " must be between 2 and the ",
         counted(instances, "instance"));
  }
  std::vector<int64_t> order(static_cast<size_t>(instances));
  std::iota(order.begin(), order.end(), 0);
  Random(seed).shuffle(order);
  std::vector<int64_t> fold(order.size());
  for (size_t at = 0; at < order.size(); ++at) {
    fold[static_cast<size_t>(order[at])] = static_cast<int64_t>(at) % folds;
  }
  return torch::tensor(fold).index_select(0, instance);
}

information::LabeledRows rows_at(const information::LabeledRows& rows,
                                 const torch::Tensor& chosen) {
  return {rows.embeddings.index_select(0, chosen), rows.labels.index_select(0, chosen),
          rows.instances.defined() ? rows.instances.index_select(0, chosen) : torch::Tensor()};
}

InformationBounds bounds_of_fold(const information::LabeledRows& inside,
                                 const information::LabeledRows& outside,
                                 const CrossValidationOptions& options) {
  const int64_t classes = options.priors.num_classes;
  const auto priors = options.priors.estimated
                          ? information::smoothed_priors(outside.labels, classes)
                          : options.priors;
  return held_out_bounds(
      {.rows = inside,
       .class_vectors = class_centroids(outside.embeddings, outside.labels, classes,
                                        /*normalize=*/false),
       .reference_rows = outside.embeddings,
       .reference_labels = outside.labels},
      priors, options.temperature);
}

using Field = std::optional<BoundEstimate> InformationBounds::*;

/// Pair forms average independent folds, which yields a standard error. Class forms use the terms
/// of all rows.
BoundEstimate mean_over_folds(const std::vector<InformationBounds>& folds, Field field,
                              bool by_spread) {
  const auto count = static_cast<double>(folds.size());
  double sum = 0;
  double squared_errors = 0;
  for (const auto& fold : folds) {
    const auto& estimate = *(fold.*field);
    sum += estimate.value;
    squared_errors += estimate.se ? *estimate.se * *estimate.se : std::nan("");
  }
  const double mean = sum / count;
  double squares = 0;
  for (const auto& fold : folds) squares += std::pow((fold.*field)->value - mean, 2);
  const double se =
      by_spread ? std::sqrt(squares / (count - 1) / count) : std::sqrt(squared_errors) / count;
  return {mean, std::isfinite(se) ? std::optional<double>(se) : std::nullopt};
}

}  // namespace

double fit_class_temperature(const torch::Tensor& rows, const torch::Tensor& labels,
                             const torch::Tensor& class_vectors,
                             const information::ClassPriors& priors) {
  const torch::NoGradGuard no_gradient;
  const auto shares = information::checked_priors(priors, labels);
  const int64_t most = std::max(kFewestFittedRows, kFittedScores / class_vectors.size(0));
  const auto scores =
      subsample(rows, most).to(torch::kFloat64).mm(class_vectors.to(torch::kFloat64).t());
  // A class without a vector or with prior 0 is never predicted.
  const auto never = scores.isnan() | (shares == 0);
  return fit_temperature(scores.masked_fill(never, -std::numeric_limits<double>::infinity()),
                         subsample(labels, most), shares.clamp_min(kSmallestPrior).log());
}

InformationBounds held_out_bounds(const HeldOutRows& held_out,
                                  const information::ClassPriors& priors, double temperature) {
  const torch::NoGradGuard no_gradient;
  const information::BoundOptions options{.temperature = temperature, .priors = priors};
  InformationBounds result{.temperature = temperature};
  const auto by_class =
      held_out.logits.defined()
          ? information::class_bound_from_logits(held_out.logits, held_out.rows.labels, priors)
          : information::class_bound(held_out.rows, held_out.class_vectors, options);
  result.by_class = estimate_of(by_class);
  result.rows = by_class.rows;
  result.entropy = by_class.entropy;
  if (!held_out.logits.defined() && held_out.reference_rows.defined()) {
    auto fitted = options;
    fitted.temperature = result.fitted_temperature = fit_class_temperature(
        held_out.reference_rows, held_out.reference_labels, held_out.class_vectors, priors);
    result.by_class_fitted =
        estimate_of(information::class_bound(held_out.rows, held_out.class_vectors, fitted));
  }
  if (held_out.pairs || held_out.negatives.defined()) {
    const auto pair = held_out.negatives.defined()
                          ? information::general_bound(held_out.rows, held_out.class_vectors,
                                                       held_out.negatives, options)
                          : information::pair_bound(held_out.rows, options);
    result.pair = estimate_of(pair);
    result.pair_normalized = BoundEstimate{pair.normalized, pair.normalized_se};
  }
  return result;
}

InformationBounds cross_validated_bounds(const information::LabeledRows& rows,
                                         const CrossValidationOptions& options) {
  const torch::NoGradGuard no_gradient;
  information::checked_priors(options.priors, rows.labels);  // before class sums index by label
  const auto fold = fold_of_rows(rows, options.folds, options.seed);
  std::vector<InformationBounds> folds;
  InformationBounds result{.temperature = options.temperature};
  double log_temperature = 0;
  for (int64_t f = 0; f < options.folds; ++f) {
    const auto inside = rows_at(rows, (fold == f).nonzero().squeeze(1));
    const auto outside = rows_at(rows, (fold != f).nonzero().squeeze(1));
    folds.push_back(bounds_of_fold(inside, outside, options));
    result.rows += folds.back().rows;
    result.entropy += folds.back().entropy / static_cast<double>(options.folds);
    log_temperature += std::log(folds.back().fitted_temperature);
  }
  result.fitted_temperature = std::exp(log_temperature / static_cast<double>(options.folds));
  result.pair = mean_over_folds(folds, &InformationBounds::pair, /*by_spread=*/true);
  result.pair_normalized =
      mean_over_folds(folds, &InformationBounds::pair_normalized, /*by_spread=*/true);
  result.by_class = mean_over_folds(folds, &InformationBounds::by_class, /*by_spread=*/false);
  result.by_class_fitted =
      mean_over_folds(folds, &InformationBounds::by_class_fitted, /*by_spread=*/false);
  return result;
}

}  // namespace projnce::eval
