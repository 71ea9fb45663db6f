#include "projnce/information/mi_bounds.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/information/bound_terms.h"

namespace projnce::information {

namespace {

constexpr int64_t kBatchInstances = 512;
constexpr int64_t kMostBatches = 10;
/// Larger scores are an error, because their sums could overflow.
constexpr double kLargestScore = 1e300;

/// Rows, labels, instance ids and priors that passed their checks, in float64 on the CPU.
struct CheckedRows {
  torch::Tensor rows;       // [N, D]
  torch::Tensor labels;     // [N]
  torch::Tensor instances;  // [N], 0..U-1
  torch::Tensor priors;     // [M]
  bool estimated = false;

  int64_t count() const { return rows.size(0); }
  int64_t num_instances() const { return instances.max().item<int64_t>() + 1; }
};

torch::Tensor finite_matrix(const torch::Tensor& tensor, const char* name) {
  if (!tensor.defined() || tensor.dim() != 2 || tensor.numel() == 0) {
    fail("mi bound: ", name, " must be a matrix [N, D] with at least one row");
  }
  const auto values = tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  const auto wrong = torch::isfinite(values).all(/*dim=*/1).logical_not().nonzero();
  if (wrong.size(0) > 0) {
    fail("mi bound: row ", wrong[0].item<int64_t>(), " of ", name,
         " has a value that is not finite");
  }
  return values;
}

torch::Tensor integers_of_rows(const torch::Tensor& tensor, int64_t rows, const char* name) {
  if (!tensor.defined() || tensor.dim() != 1 ||
      !at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false)) {
    fail("mi bound: ", name, " must be a 1-dimensional tensor of integers");
  }
  if (tensor.size(0) != rows) {
    fail("mi bound: ", name, " has ", counted(tensor.size(0), "entry", "entries"), ", expected ",
         rows, ", one for each row");
  }
  return tensor.detach().to(torch::kCPU, torch::kInt64).contiguous();
}

CheckedRows check_rows(const LabeledRows& given, const ClassPriors& priors, const char* name) {
  CheckedRows checked{.rows = finite_matrix(given.embeddings, name)};
  const int64_t count = checked.count();
  checked.labels = integers_of_rows(given.labels, count, "labels");
  const auto ids = given.instances.defined() ? integers_of_rows(given.instances, count, "instances")
                                             : torch::arange(count);
  checked.instances = std::get<1>(torch::_unique2(ids, true, /*return_inverse=*/true));
  checked.priors = checked_priors(priors, checked.labels);
  checked.estimated = priors.estimated;
  return checked;
}

/// Class vectors [M, D]; a row of NaN stands for a class that has none.
torch::Tensor check_class_vectors(const torch::Tensor& given, const CheckedRows& checked) {
  const int64_t classes = checked.priors.size(0);
  if (!given.defined() || given.dim() != 2 || given.size(0) != classes ||
      given.size(1) != checked.rows.size(1)) {
    const auto found = given.defined() ? concat(given.sizes()) : std::string("none");
    fail("mi bound: class vectors are ", found, ", expected [", classes, ", ", checked.rows.size(1),
         "]: one for each class");
  }
  const auto vectors = given.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  const auto missing = vectors.isnan().all(/*dim=*/1);
  const auto wrong = (torch::isfinite(vectors).all(/*dim=*/1) | missing).logical_not().nonzero();
  if (wrong.size(0) > 0) {
    fail("mi bound: class vector ", wrong[0].item<int64_t>(), " has a value that is not finite; ",
         "a class without a vector is NaN in every column");
  }
  return vectors;
}

torch::Tensor check_negatives(const torch::Tensor& given, const CheckedRows& checked) {
  const auto rows = finite_matrix(given, "negatives");
  if (rows.size(1) != checked.rows.size(1)) {
    fail("mi bound: negatives have ", counted(rows.size(1), "column"), ", expected ",
         checked.rows.size(1));
  }
  return rows;
}

double largest_norm_of(const torch::Tensor& rows) {
  return rows.nan_to_num().norm(2, /*dim=*/1).max().item<double>();
}

void check_temperature(double temperature, const torch::Tensor& rows, const torch::Tensor& others) {
  if (!(temperature > 0) || !std::isfinite(temperature)) {
    fail("mi bound: temperature = ", temperature, " must be a finite number above 0");
  }
  if (!(largest_norm_of(rows) * largest_norm_of(others) / temperature < kLargestScore)) {
    fail("mi bound: the dot products divided by the temperature exceed ", kLargestScore,
         "; expected embeddings of ordinary size");
  }
}

/// Correction for estimated priors by row, [N]; its mean is KL(f || pi).
torch::Tensor correction_of_rows(const CheckedRows& checked) {
  if (!checked.estimated) return torch::zeros({checked.count()}, torch::kFloat64);
  return log_frequency_ratio(checked.labels, checked.priors).index_select(0, checked.labels);
}

std::optional<double> finite_or_none(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

/// Standard error of the mean of values that are independent between groups. `groups` [N] are
/// numbers 0..G-1.
std::optional<double> standard_error(const torch::Tensor& values, const torch::Tensor& groups,
                                     int64_t num_groups) {
  if (num_groups < 2) return {};
  const auto deviation = values - values.mean();
  const auto sums = torch::zeros({num_groups}, torch::kFloat64).index_add_(0, groups, deviation);
  const auto count = static_cast<double>(num_groups);
  const double squares = (sums * sums).sum().item<double>() * count / (count - 1);
  return finite_or_none(std::sqrt(squares) / static_cast<double>(values.size(0)));
}

/// `groups` [N] are the batch or the instance of each row; different groups are independent.
BoundResult result_of(const CheckedRows& checked, const RatioTerms& ratios,
                      const torch::Tensor& groups) {
  const auto correction = correction_of_rows(checked);
  BoundResult result;
  result.log_ratio = ratios.log_ratio;
  result.mean_ratio = ratios.log_mean_ratio.exp();
  result.terms = 1 + ratios.log_ratio - result.mean_ratio;
  result.normalized_terms = ratios.log_ratio - ratios.log_mean_ratio;
  result.rows = checked.count();
  result.correction = correction.mean().item<double>();
  result.value = result.terms.mean().item<double>() - result.correction;
  result.normalized = result.normalized_terms.mean().item<double>() - result.correction;
  const auto surprise = -checked.priors.index_select(0, checked.labels).log();
  // One class has the entropy 0, not -0.
  result.entropy = 0.0 + (surprise.mean().item<double>() - result.correction);
  const int64_t num_groups = groups.max().item<int64_t>() + 1;
  result.se = standard_error(result.terms - correction, groups, num_groups);
  result.normalized_se = standard_error(result.normalized_terms - correction, groups, num_groups);
  return result;
}

/// The batch of each instance, [U]: random, of nearly equal sizes.
torch::Tensor batch_of_instances(int64_t instances, int64_t batches, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(instances));
  std::iota(order.begin(), order.end(), 0);
  Random(seed).shuffle(order);
  const auto result = torch::empty({instances}, torch::kInt64);
  for (int64_t at = 0; at < instances; ++at) {
    result.data_ptr<int64_t>()[order[static_cast<size_t>(at)]] = at * batches / instances;
  }
  return result;
}

/// The batch of each row, [N].
torch::Tensor batch_of_rows(const CheckedRows& checked, const BoundOptions& options) {
  const int64_t instances = checked.num_instances();
  if (options.batches < 0 || options.batches > instances) {
    fail("mi bound: batches = ", options.batches, " must be between 0 and the ",
         counted(instances, "instance"));
  }
  const int64_t batches = options.batches > 0
                              ? options.batches
                              : std::clamp<int64_t>(instances / kBatchInstances, 1, kMostBatches);
  return batch_of_instances(instances, batches, options.seed).index_select(0, checked.instances);
}

using TermsOfRows = std::function<RatioTerms(const CheckedRows&)>;

/// Computes the terms of each batch separately, in the order of the rows.
BoundResult bound_in_batches(const CheckedRows& checked, const BoundOptions& options,
                             const TermsOfRows& terms_of) {
  const auto batch = batch_of_rows(checked, options);
  const auto log_ratio = torch::empty({checked.count()}, torch::kFloat64);
  const RatioTerms all{log_ratio, torch::empty_like(log_ratio)};
  for (int64_t b = 0; b <= batch.max().item<int64_t>(); ++b) {
    const auto chosen = (batch == b).nonzero().squeeze(1);
    auto part = checked;
    part.rows = checked.rows.index_select(0, chosen);
    part.labels = checked.labels.index_select(0, chosen);
    part.instances = checked.instances.index_select(0, chosen);
    const auto terms = terms_of(part);
    all.log_ratio.index_copy_(0, chosen, terms.log_ratio);
    all.log_mean_ratio.index_copy_(0, chosen, terms.log_mean_ratio);
  }
  return result_of(checked, all, batch);
}

}  // namespace

BoundResult pair_bound(const LabeledRows& rows, const BoundOptions& options) {
  const torch::NoGradGuard no_gradient;
  const auto checked = check_rows(rows, options.priors, "embeddings");
  check_temperature(options.temperature, checked.rows, checked.rows);
  return bound_in_batches(checked, options, [&](const CheckedRows& part) {
    return pair_ratio_terms(part.rows, part.labels, part.instances, part.priors,
                            options.temperature);
  });
}

BoundResult general_bound(const LabeledRows& rows, const torch::Tensor& class_vectors,
                          const torch::Tensor& negatives, const BoundOptions& options) {
  const torch::NoGradGuard no_gradient;
  const auto checked = check_rows(rows, options.priors, "embeddings");
  const auto vectors = check_class_vectors(class_vectors, checked);
  check_temperature(options.temperature, checked.rows, vectors);
  const auto terms_of = [&](const CheckedRows& part, const torch::Tensor& log_a) {
    return general_ratio_terms(part.rows, part.labels, vectors, log_a, part.priors,
                               options.temperature);
  };
  if (!negatives.defined()) {
    check_temperature(options.temperature, checked.rows, checked.rows);
    return bound_in_batches(checked, options, [&](const CheckedRows& part) {
      return terms_of(part, log_mean_exp_of_others(part.rows, part.instances, options.temperature));
    });
  }
  const auto given = check_negatives(negatives, checked);
  check_temperature(options.temperature, checked.rows, given);
  const auto log_a = log_mean_exp(checked.rows, given, options.temperature);
  return result_of(checked, terms_of(checked, log_a), checked.instances);
}

BoundResult class_bound(const LabeledRows& rows, const torch::Tensor& class_vectors,
                        const BoundOptions& options) {
  const torch::NoGradGuard no_gradient;
  const auto checked = check_rows(rows, options.priors, "embeddings");
  const auto vectors = check_class_vectors(class_vectors, checked);
  check_temperature(options.temperature, checked.rows, vectors);
  const auto terms =
      class_ratio_terms(checked.rows, checked.labels, vectors, checked.priors, options.temperature);
  return result_of(checked, terms, checked.instances);
}

BoundResult class_bound_from_logits(const torch::Tensor& logits, const torch::Tensor& labels,
                                    const ClassPriors& priors) {
  const torch::NoGradGuard no_gradient;
  const auto checked = check_rows({logits, labels}, priors, "logits");
  if (checked.rows.size(1) != priors.num_classes) {
    fail("mi bound: logits have ", counted(checked.rows.size(1), "column"), ", expected ",
         priors.num_classes, ", one for each class");
  }
  if (!(checked.priors > 0).all().item<bool>()) {
    fail("mi bound: a classifier needs priors above 0 for every class");
  }
  // q(c|z) is the softmax, and log r = log q - log pi.
  const auto column = checked.labels.unsqueeze(1);
  const auto log_q = checked.rows.log_softmax(1).gather(1, column).squeeze(1);
  const auto terms = log_q - checked.priors.log().index_select(0, checked.labels);
  return result_of(checked, {terms, torch::zeros_like(terms)}, checked.instances);
}

}  // namespace projnce::information
