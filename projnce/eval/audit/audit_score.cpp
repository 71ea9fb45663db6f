#include "projnce/eval/audit/audit_score.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace projnce {

namespace {

constexpr int64_t kWorst = 100;

double share(int64_t part, int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(part) / static_cast<double>(whole);
}

double average_precision(const std::vector<int64_t>& order, const double* score,
                         const bool* wrong) {
  int64_t seen_wrong = 0;
  double sum = 0;
  for (size_t start = 0; start < order.size();) {
    size_t end = start;
    int64_t wrong_here = 0;
    for (; end < order.size() && score[order[end]] == score[order[start]]; ++end) {
      wrong_here += wrong[order[end]];
    }
    seen_wrong += wrong_here;
    sum += static_cast<double>(wrong_here) * share(seen_wrong, static_cast<int64_t>(end));
    start = end;
  }
  return seen_wrong == 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sum / static_cast<double>(seen_wrong);
}

}  // namespace

std::vector<int64_t> worst_first(const torch::Tensor& score) {
  const double* values = score.data_ptr<double>();
  std::vector<int64_t> order(static_cast<size_t>(score.size(0)));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [values](int64_t a, int64_t b) { return values[a] > values[b]; });
  return order;
}

AuditScore score_audit(const AuditResult& result, const torch::Tensor& labels,
                       const torch::Tensor& truth) {
  const auto wrong = labels.ne(truth).contiguous();
  const auto flagged = result.score.gt(kFlagged);
  const auto order = worst_first(result.score);
  const bool* is_wrong = wrong.data_ptr<bool>();
  const auto count = [](const torch::Tensor& mask) { return mask.sum().item<int64_t>(); };

  AuditScore score;
  score.wrong = count(wrong);
  score.precision = share(count(wrong & flagged), count(flagged));
  score.recall = share(count(wrong & flagged), score.wrong);
  score.average_precision = average_precision(order, result.score.data_ptr<double>(), is_wrong);
  score.worst = std::min<int64_t>(kWorst, labels.size(0));
  score.worst_wrong = std::count_if(order.begin(), order.begin() + score.worst,
                                    [is_wrong](int64_t i) { return is_wrong[i]; });
  score.mended = share(count(wrong & result.suggested.eq(truth)), score.wrong);
  return score;
}

}  // namespace projnce
