#include "projnce/information/log_mean_exp.h"

#include <cmath>
#include <tuple>

#include "projnce/kernel/pairwise_logsumexp.h"

namespace projnce {

namespace {

PairRows<double> pair_rows_of(const torch::Tensor& rows, const torch::Tensor& candidates,
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
  pairwise_logsumexp(pair_rows_of(anchors, others, temperature),
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
  const auto sums = torch::empty({kPairSets, rows.size(0)}, torch::kFloat64);
  double* const by_set[kPairSets] = {sums[kPositiveSet].data_ptr<double>(),
                                     sums[kNegativeSet].data_ptr<double>()};
  const bool all_distinct = ids.size(0) == rows.size(0);
  const auto numbers = id_of_row.contiguous();
  if (all_distinct) {
    pairwise_logsumexp(pairs, {by_set[kPositiveSet], nullptr});  // all rows but the row itself
  } else {
    pairs.anchor_class = pairs.candidate_class = numbers.data_ptr<int64_t>();
    pairwise_logsumexp(pairs, by_set);
  }
  const auto of_others = sums[all_distinct ? kPositiveSet : kNegativeSet];
  const auto count = rows.size(0) - sizes.index_select(0, id_of_row);  // [N]
  return torch::where(count > 0, of_others - count.to(torch::kFloat64).log(), of_others);
}

}  // namespace projnce
