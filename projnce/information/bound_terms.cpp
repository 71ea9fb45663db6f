#include "projnce/information/bound_terms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/kernel/pairwise_logsumexp.h"

namespace projnce::information {

namespace {

kernel::PairRows<double> pair_rows_of(const torch::Tensor& rows, const torch::Tensor& candidates,
                                      double temperature) {
  return {.anchors = rows.data_ptr<double>(),
          .num_anchors = rows.size(0),
          .candidates = candidates.data_ptr<double>(),
          .num_candidates = candidates.size(0),
          .dim = rows.size(1),
          .scale = 1 / temperature};
}

}  // namespace

torch::Tensor log_mean_exp(const torch::Tensor& rows, const torch::Tensor& candidates,
                           double temperature) {
  const auto anchors = rows.contiguous();
  const auto others = candidates.contiguous();
  const auto result = torch::empty({rows.size(0)}, torch::kFloat64);
  kernel::pairwise_logsumexp(pair_rows_of(anchors, others, temperature),
                             {result.data_ptr<double>(), nullptr});
  return result - std::log(static_cast<double>(candidates.size(0)));
}

torch::Tensor log_mean_exp_of_others(const torch::Tensor& rows, const torch::Tensor& instances,
                                     double temperature) {
  const auto anchors = rows.contiguous();
  auto pairs = pair_rows_of(anchors, anchors, temperature);
  pairs.self = 0;
  pairs.symmetric = true;
  const auto [ids, id_of_row, sizes] = torch::_unique2(instances, true, true, true);
  // [set, N]: rows of the own instance, and of others.
  const auto sums = torch::empty({kernel::kPairSets, rows.size(0)}, torch::kFloat64);
  double* const by_set[kernel::kPairSets] = {sums[kernel::kPositiveSet].data_ptr<double>(),
                                             sums[kernel::kNegativeSet].data_ptr<double>()};
  const bool all_distinct = ids.size(0) == rows.size(0);
  const auto numbers = id_of_row.contiguous();
  if (all_distinct) {
    kernel::pairwise_logsumexp(
        pairs, {by_set[kernel::kPositiveSet], nullptr});  // all rows but the row itself
  } else {
    pairs.anchor_class = pairs.candidate_class = numbers.data_ptr<int64_t>();
    kernel::pairwise_logsumexp(pairs, by_set);
  }
  const auto of_others = sums[all_distinct ? kernel::kPositiveSet : kernel::kNegativeSet];
  const auto count = rows.size(0) - sizes.index_select(0, id_of_row);  // [N]
  return torch::where(count > 0, of_others - count.to(torch::kFloat64).log(), of_others);
}

namespace {

constexpr double kSumTolerance = 1e-6;
constexpr int64_t kMaxClasses = 10'000'000;  // priors of each class are stored

void check_label_range(const torch::Tensor& labels, int64_t num_classes) {
  if (!labels.defined() || labels.dim() != 1 || labels.scalar_type() != torch::kInt64) {
    fail("class priors: expected labels [N] of type int64");
  }
  if (num_classes < 1 || num_classes > kMaxClasses) {
    fail("class priors: num_classes = ", num_classes, ", expected 1 to ", kMaxClasses);
  }
  const auto wrong = labels.masked_select((labels < 0) | (labels >= num_classes));
  if (wrong.numel() > 0) {
    fail("class priors: label ", wrong[0].item<int64_t>(), " is outside 0..", num_classes - 1);
  }
}

torch::Tensor label_counts(const torch::Tensor& labels, int64_t num_classes) {
  return torch::bincount(labels.cpu(), {}, num_classes).to(torch::kFloat64);
}

}  // namespace

ClassPriors smoothed_priors(const torch::Tensor& labels, int64_t num_classes) {
  check_label_range(labels, num_classes);
  const auto counts = label_counts(labels, num_classes) + 0.5;
  return {.num_classes = num_classes, .values = counts / counts.sum(), .estimated = true};
}

torch::Tensor checked_priors(const ClassPriors& priors, const torch::Tensor& labels) {
  check_label_range(labels, priors.num_classes);
  if (!priors.values.defined()) {
    return torch::full({priors.num_classes}, 1.0 / static_cast<double>(priors.num_classes),
                       torch::kFloat64);
  }
  const auto values = priors.values.detach().to(torch::kCPU, torch::kFloat64);
  if (values.dim() != 1 || values.size(0) != priors.num_classes) {
    fail("class priors: expected ", counted(priors.num_classes, "number"),
         ", one for each class, found ", values.sizes());
  }
  if (!(torch::isfinite(values) & (values >= 0)).all().item<bool>()) {
    fail("class priors: a prior is negative or not finite");
  }
  const double sum = values.sum().item<double>();
  if (std::abs(sum - 1) > kSumTolerance) {
    fail("class priors: they sum to ", sum, ", expected 1");
  }
  const auto of_rows = values.index_select(0, labels.cpu());
  const auto impossible = labels.cpu().masked_select(of_rows == 0);
  if (impossible.numel() > 0) {
    fail("class priors: the prior of class ", impossible[0].item<int64_t>(),
         " is 0, but the class occurs among the labels");
  }
  return values / sum;
}

torch::Tensor log_frequency_ratio(const torch::Tensor& labels, const torch::Tensor& priors) {
  const auto counts = label_counts(labels, priors.size(0));
  const auto ratio = (counts / counts.sum() / priors).log();
  return torch::where(counts > 0, ratio, torch::zeros_like(ratio));
}

namespace {

/// Maximum number of elements of a matrix [rows of a chunk, classes].
constexpr int64_t kChunkNumbers = int64_t{1} << 22;

/// Calls terms_of(first, count) for chunks of rows and concatenates the results.
RatioTerms join_chunks(int64_t rows, int64_t classes,
                       const std::function<RatioTerms(int64_t, int64_t)>& terms_of) {
  const int64_t step = std::max<int64_t>(1, kChunkNumbers / std::max<int64_t>(classes, 1));
  std::vector<torch::Tensor> log_ratio;
  std::vector<torch::Tensor> log_mean_ratio;
  for (int64_t first = 0; first < rows; first += step) {
    auto terms = terms_of(first, std::min(step, rows - first));
    log_ratio.push_back(std::move(terms.log_ratio));
    log_mean_ratio.push_back(std::move(terms.log_mean_ratio));
  }
  return {torch::cat(log_ratio), torch::cat(log_mean_ratio)};
}

torch::Tensor own_column(const torch::Tensor& by_class, const torch::Tensor& column) {
  return by_class.gather(1, column.unsqueeze(1)).squeeze(1);
}

/// The rows of each instance, one instance after the other.
struct InstanceRows {
  torch::Tensor order;          // [N], int64: rows sorted by instance
  torch::Tensor instance;       // [N], int64: 0..U-1 of each row
  std::vector<int64_t> starts;  // [U + 1]: where an instance begins in `order`

  explicit InstanceRows(const torch::Tensor& ids) {
    torch::Tensor sizes;
    std::tie(std::ignore, instance, sizes) = torch::_unique2(ids, true, true, true);
    order = torch::argsort(instance, /*stable=*/true, /*dim=*/0);
    starts.assign(static_cast<size_t>(sizes.size(0)) + 1, 0);
    std::partial_sum(sizes.data_ptr<int64_t>(), sizes.data_ptr<int64_t>() + sizes.size(0),
                     starts.begin() + 1);
  }

  /// Calls f with each row of the instance of `row`, `row` itself included.
  template <class F>
  void for_each_of_instance(int64_t row, const F& f) const {
    const auto id = static_cast<size_t>(instance.data_ptr<int64_t>()[row]);
    for (int64_t at = starts[id]; at < starts[id + 1]; ++at) f(order.data_ptr<int64_t>()[at]);
  }
};

/// Scores of some rows with class means, and the numbers of rows in these. Both [count, classes].
struct ClassScores {
  torch::Tensor scores;  ///< NaN for a class that no other instance has
  torch::Tensor counts;
};

/// Class sums and counts without the instance of each row.
class LeaveOneOutScores {
 public:
  LeaveOneOutScores(const torch::Tensor& rows, const torch::Tensor& column,
                    const torch::Tensor& counts, const torch::Tensor& instances)
      : rows_(rows.contiguous()),
        column_(column.contiguous()),
        counts_(counts.to(torch::kFloat64)),
        sums_(torch::zeros({counts.size(0), rows.size(1)}, torch::kFloat64)
                  .index_add_(0, column_, rows_)),
        instances_(instances) {}

  /// z_i.m_c of the rows from `first`.
  ClassScores scores(int64_t first, int64_t count) const {
    const auto dots = rows_.narrow(0, first, count).mm(sums_.t());
    const auto others = counts_.unsqueeze(0).repeat({count, 1});
    const int64_t classes = sums_.size(0);
    for (int64_t i = 0; i < count; ++i) {
      instances_.for_each_of_instance(first + i, [&](int64_t k) {
        const int64_t at = i * classes + column_.data_ptr<int64_t>()[k];
        dots.data_ptr<double>()[at] -= dot(first + i, k);
        others.data_ptr<double>()[at] -= 1;
      });
    }
    return {torch::where(others > 0, dots / others, torch::full_like(dots, std::nan(""))), others};
  }

 private:
  double dot(int64_t i, int64_t k) const {
    const int64_t dim = rows_.size(1);
    const double* z = rows_.data_ptr<double>();
    return std::inner_product(z + i * dim, z + (i + 1) * dim, z + k * dim, 0.0);
  }

  torch::Tensor rows_;    // [N, D]
  torch::Tensor column_;  // [N]
  torch::Tensor counts_;  // [classes]
  torch::Tensor sums_;    // [classes, D]
  InstanceRows instances_;
};

/// log r_i(c) = z_i.g_c / tau - log a_i from dot products; 0 where there is no class vector (NaN)
/// or nothing to compare with (log a_i = -infinity).
torch::Tensor log_ratios(const torch::Tensor& dots, const torch::Tensor& log_a,
                         double temperature) {
  const auto ratio = dots / temperature - log_a.unsqueeze(1);
  const auto defined = dots.isnan().logical_not() & torch::isfinite(log_a).unsqueeze(1);
  return torch::where(defined, ratio, torch::zeros_like(ratio));
}

/// `ratios` of the pair form [count, classes], limited to their largest value: r_i(c) is at most
/// |O(i)| over the rows of class c in O(i), by Jensen's inequality. Rounding errors of large scores
/// would exceed it without limit.
torch::Tensor limit_ratios(const torch::Tensor& ratios, const torch::Tensor& counts) {
  const auto of_all = counts.sum(1, /*keepdim=*/true);  // [count, 1]: |O(i)|
  return torch::where(counts > 0, torch::minimum(ratios, (of_all / counts).log()), ratios);
}

/// The log mean of ratios that are all 1, without its rounding error, if there is nothing to
/// compare with.
torch::Tensor zero_if_alone(const torch::Tensor& log_mean, const torch::Tensor& log_a) {
  return torch::where(torch::isfinite(log_a), log_mean, torch::zeros_like(log_mean));
}

}  // namespace

RatioTerms pair_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                            const torch::Tensor& instances, const torch::Tensor& priors,
                            double temperature) {
  const auto [present, column, counts] = torch::_unique2(labels, true, true, true);
  const auto log_a = log_mean_exp_of_others(rows, instances, temperature);
  const LeaveOneOutScores centroids(rows, column, counts, instances);
  // Classes without any row have the ratio 1. Their priors are summed as such: 1 minus the others
  // would leave a rounding error that is larger than small sums of ratios.
  const auto absent = priors.index_fill(0, present, 0).sum().log();
  const auto log_priors = priors.index_select(0, present).log();
  const auto own = column;
  return join_chunks(rows.size(0), present.size(0), [&](int64_t first, int64_t count) {
    const auto by_class = centroids.scores(first, count);
    const auto ratios = limit_ratios(
        log_ratios(by_class.scores, log_a.narrow(0, first, count), temperature), by_class.counts);
    const auto log_mean = torch::logaddexp((ratios + log_priors).logsumexp(1), absent);
    return RatioTerms{own_column(ratios, own.narrow(0, first, count)),
                      zero_if_alone(log_mean, log_a.narrow(0, first, count))};
  });
}

RatioTerms general_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                               const torch::Tensor& class_vectors, const torch::Tensor& log_a,
                               const torch::Tensor& priors, double temperature) {
  const auto log_priors = priors.log();
  return join_chunks(rows.size(0), priors.size(0), [&](int64_t first, int64_t count) {
    const auto ratios = log_ratios(rows.narrow(0, first, count).mm(class_vectors.t()),
                                   log_a.narrow(0, first, count), temperature);
    return RatioTerms{
        own_column(ratios, labels.narrow(0, first, count)),
        zero_if_alone((ratios + log_priors).logsumexp(1), log_a.narrow(0, first, count))};
  });
}

RatioTerms class_ratio_terms(const torch::Tensor& rows, const torch::Tensor& labels,
                             const torch::Tensor& class_vectors, const torch::Tensor& priors,
                             double temperature) {
  const auto known = class_vectors.isnan().any(/*dim=*/1).logical_not();  // [M]
  const auto known_priors = torch::where(known, priors, torch::zeros_like(priors));
  const auto log_priors = known_priors.log();
  const auto log_total = known_priors.sum().log();
  const auto vectors = class_vectors.nan_to_num();
  return join_chunks(rows.size(0), priors.size(0), [&](int64_t first, int64_t count) {
    const auto own = labels.narrow(0, first, count);
    const auto scores = rows.narrow(0, first, count).mm(vectors.t()) / temperature;
    const auto terms = own_column(scores, own) - ((scores + log_priors).logsumexp(1) - log_total);
    const auto zeros = torch::zeros_like(terms);
    return RatioTerms{torch::where(known.index_select(0, own), terms, zeros), zeros};
  });
}

}  // namespace projnce::information
