#include "projnce/eval/audit/audit.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/held_out_scores.h"
#include "projnce/projection/class_groups.h"

namespace projnce::eval {

namespace {

/// Features are informative if they predict held-out labels better than class frequencies by this
/// fraction of the label entropy, and by more nats in total than expected by chance.
constexpr double kMinInformationShare = 0.03;
constexpr double kMinInformationNats = 5;

void check_audit_input(const torch::Tensor& embeddings, const torch::Tensor& labels,
                       int64_t num_classes, const AuditOptions& options) {
  if (embeddings.dim() != 2 || labels.dim() != 1 || embeddings.size(0) != labels.size(0)) {
    fail("embeddings of shape ", embeddings.sizes(), " do not match labels of shape ",
         labels.sizes(), ", expected one row per label");
  }
  if (options.folds < 2) fail("folds = ", options.folds, ", expected at least 2");
  if (embeddings.size(0) == 0) fail("there are no samples to audit");
  projection::check_labels(labels, num_classes, "audit");
  const auto finite = embeddings.isfinite().all(/*dim=*/1);
  if (!finite.all().item<bool>()) {
    fail("row ", finite.logical_not().nonzero()[0].item<int64_t>(),
         " of the embeddings is not finite");
  }
}

FoldData make_audit_data(const torch::Tensor& embeddings, const projection::ClassGroups& groups,
                         const AuditOptions& options) {
  const int64_t size = embeddings.size(0);
  if (groups.size() < 2) {
    fail(Hint{"an audit compares classes with each other"}, counted(size, "sample"),
         " of the same label, expected at least two classes");
  }
  const auto ids = groups.ids.contiguous();
  return make_fold_data(embeddings,
                        {ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + ids.numel()},
                        groups.size(), std::min(options.folds, size), options.seed);
}

double label_entropy_of(const FoldData& data) {
  double entropy = 0;
  for (const int64_t count : data.class_counts) {
    const double ratio = double(count) / double(data.size());
    entropy -= ratio * std::log(ratio);
  }
  return entropy;
}

AuditSkill measure_skill(const FoldData& data, const HeldOutScores& scores) {
  AuditSkill skill;
  int64_t correct = 0;
  for (int64_t i = 0; i < data.size(); ++i) {
    const float* row = scores.logits.data() + i * data.classes();
    correct +=
        std::max_element(row, row + data.classes()) - row == data.labels[static_cast<size_t>(i)];
  }
  const auto count = static_cast<double>(data.size());
  skill.accuracy = static_cast<double>(correct) / count;
  skill.chance_accuracy =
      double(*std::max_element(data.class_counts.begin(), data.class_counts.end())) / count;
  skill.label_entropy = label_entropy_of(data);
  skill.information =
      skill.label_entropy + scores.fit.held_out / static_cast<double>(scores.fit.held_out_samples);
  skill.informative = skill.information > kMinInformationShare * skill.label_entropy &&
                      skill.information * count > kMinInformationNats;
  skill.too_few_samples = !skill.informative && skill.accuracy > (1 + skill.chance_accuracy) / 2;
  return skill;
}

/// Weight of a model's posterior. Uniform noise at the minimum rate means that no noise was found:
/// its ranking must not hide that of a pattern.
float evidence_of(const NoiseFit& fit) {
  if (fit.kind == NoiseKind::kPattern) return 1;
  return static_cast<float>(1 - kMinNoiseRate / std::max(fit.best.rate, kMinNoiseRate));
}

/// P(true class | z, label) of every sample, averaged over the ensemble, [N, C].
std::vector<float> average_posterior(const FoldData& data, const HeldOutEnsemble& ensemble) {
  std::vector<float> average(static_cast<size_t>(data.size() * data.classes()), 0.0F);
  const auto classes = static_cast<size_t>(data.classes());
  for (size_t m = 0; m < ensemble.members.size(); ++m) {
    const auto& member = ensemble.members[m];
    const auto weight = static_cast<float>(ensemble.weights[m]);
    const auto evidence = weight * evidence_of(member.fit);
    const auto posterior = true_class_probabilities(
        member.fit, ScoredLabels(member.logits, data.labels, data.classes()));
    for (size_t k = 0; k < average.size(); ++k) average[k] += evidence * posterior[k];
    for (size_t i = 0; i < data.labels.size(); ++i) {
      average[i * classes + static_cast<size_t>(data.labels[i])] += weight - evidence;
    }
  }
  return average;
}

/// Minimum excess over 1/2 of the area under the ROC curve of two separable classes. With
/// two classes, 40 % wrong labels leave 0.1; then the features are not informative either.
constexpr double kMinExcess = 0.1;
/// Minimum logarithm of the odds ratio of two separable classes. Also 40 % wrong labels: (6 / 4)^2.
constexpr double kMinLogOddsRatio = 0.81;
/// Both also exceed this number of standard errors.
constexpr double kMinErrors = 2;

/// Differences of two logits of samples labeled with one of two classes, and whether the label is
/// that of the second.
using RankedLabels = std::vector<std::pair<float, bool>>;

/// Area under the ROC curve: P(value of b > value of a), ties count one half.
double area_under_curve(RankedLabels values) {
  std::sort(values.begin(), values.end());
  double wins = 0;
  double seen_a = 0;  // samples of a with a smaller value
  double seen_b = 0;
  for (size_t start = 0; start < values.size();) {
    size_t end = start;
    double of_b = 0;
    while (end < values.size() && values[end].first == values[start].first) {
      of_b += values[end++].second;
    }
    const double of_a = static_cast<double>(end - start) - of_b;
    wins += of_b * (seen_a + of_a / 2);
    seen_a += of_a;
    seen_b += of_b;
    start = end;
  }
  return wins / (seen_a * seen_b);
}

/// Whether the values rank the samples with the label b above those with the label a.
bool are_ranked(const RankedLabels& values, double of_a, double of_b) {
  const double error = std::sqrt((of_a + of_b + 1) / (12 * of_a * of_b));
  return area_under_curve(values) > 0.5 + std::max(kMinExcess, kMinErrors * error);
}

/// Whether samples predicted as b have the label b more often than samples predicted as a. Unlike
/// the area under the curve, the odds ratio remains large if most samples with the label of a small
/// class belong to a large one.
bool are_associated(const RankedLabels& values) {
  std::array<double, 4> counts = {0.5, 0.5, 0.5, 0.5};  // by predicted class and label
  for (const auto& [value, labeled_b] : values) counts[size_t{2} * (value > 0) + labeled_b] += 1;
  const double log_ratio = std::log(counts[0] * counts[3] / (counts[1] * counts[2]));
  double variance = 0;
  for (const double count : counts) variance += 1 / count;
  return log_ratio > std::max(kMinLogOddsRatio, kMinErrors * std::sqrt(variance));
}

/// Decides which classes held-out logits separate: whether the difference of two logits ranks
/// samples labeled with one class above those labeled with the other, or its sign predicts the
/// label. If it does not, the features do not separate the classes, or half of the labels are
/// exchanged; nothing distinguishes these.
class SeparableClasses {
 public:
  SeparableClasses(const FoldData& data, const std::vector<float>& logits)
      : data_(data), logits_(logits), members_(static_cast<size_t>(data.classes())) {
    for (int64_t i = 0; i < data.size(); ++i) {
      members_[static_cast<size_t>(data.labels[static_cast<size_t>(i)])].push_back(i);
    }
  }

  bool contains(int64_t a, int64_t b) {
    if (a > b) std::swap(a, b);
    const auto [found, is_new] = known_.try_emplace(a * data_.classes() + b, false);
    if (is_new) found->second = measure(a, b);
    return found->second;
  }

 private:
  bool measure(int64_t a, int64_t b) const {
    RankedLabels values;
    for (const int64_t label : {a, b}) {
      for (const int64_t i : members_[static_cast<size_t>(label)]) {
        const float* row = logits_.data() + i * data_.classes();
        values.emplace_back(row[b] - row[a], label == b);
      }
    }
    const auto of_a = static_cast<double>(members_[static_cast<size_t>(a)].size());
    const auto of_b = static_cast<double>(members_[static_cast<size_t>(b)].size());
    return are_ranked(values, of_a, of_b) || are_associated(values);
  }

  const FoldData& data_;
  const std::vector<float>& logits_;
  std::vector<std::vector<int64_t>> members_;  // samples of each given class
  std::unordered_map<int64_t, bool> known_;    // by a * C + b with a < b
};

/// Moves the posterior of classes that are not separable from the given one to the given one:
/// such mistakes cannot be found.
void exclude_inseparable_inplace(const FoldData& data, const std::vector<float>& logits,
                                 std::vector<float>& posterior) {
  constexpr float kNegligible = 1e-4F;
  SeparableClasses separable(data, logits);
  for (int64_t i = 0; i < data.size(); ++i) {
    const int64_t given = data.labels[static_cast<size_t>(i)];
    float* row = posterior.data() + i * data.classes();
    for (int64_t c = 0; c < data.classes(); ++c) {
      if (c == given || row[c] < kNegligible || separable.contains(given, c)) continue;
      row[given] += row[c];
      row[c] = 0;
    }
  }
}

/// Sets score and suggestion of one sample from P(true class | z, label), [C].
void score_sample(const FoldData& data, size_t sample, const float* posterior,
                  const projection::ClassGroups& groups, AuditResult& result) {
  const int64_t given = data.labels[sample];
  int64_t other = given == 0 ? 1 : 0;
  double wrong = 0;
  for (int64_t c = 0; c < data.classes(); ++c) {
    if (c == given) continue;
    wrong += posterior[c];
    if (posterior[c] > posterior[other]) other = c;
  }
  wrong = std::min(wrong, result.skill.informative ? 1.0 : kFlagged);
  if (data.class_counts[static_cast<size_t>(given)] == 1) wrong = std::min(wrong, kFlagged);
  const int64_t place = data.original[sample];
  const int64_t suggested = wrong > kFlagged ? other : given;
  result.score.data_ptr<double>()[place] = wrong;
  result.suggested.data_ptr<int64_t>()[place] = groups.labels.data_ptr<int64_t>()[suggested];
}

/// Returns P(given label | true class), [C, C], one row per true class.
torch::Tensor estimate_noise_matrix(const FoldData& data, const std::vector<float>& posterior,
                                    const projection::ClassGroups& groups, int64_t num_classes) {
  const int64_t classes = data.classes();
  auto joint = torch::zeros({classes, classes}, torch::kDouble);
  double* counts = joint.data_ptr<double>();
  for (int64_t i = 0; i < data.size(); ++i) {
    const int64_t given = data.labels[static_cast<size_t>(i)];
    for (int64_t c = 0; c < classes; ++c) {
      counts[c * classes + given] += posterior[static_cast<size_t>(i * classes + c)];
    }
  }
  const auto sums = joint.sum(1, /*keepdim=*/true);
  joint =
      torch::where(sums.gt(0), joint / sums.clamp_min(1e-30), torch::eye(classes, torch::kDouble));
  auto all = torch::eye(num_classes, torch::kDouble);
  all.index_put_({groups.labels.unsqueeze(1), groups.labels.unsqueeze(0)}, joint);
  return all;
}

/// Sets the score of the only sample of a class to the noise rate.
void score_single_samples(const FoldData& data, AuditResult& result) {
  double sum = 0;
  int64_t count = 0;
  const auto single = [&](size_t i) {
    return data.class_counts[static_cast<size_t>(data.labels[i])] == 1;
  };
  double* scores = result.score.data_ptr<double>();
  for (size_t i = 0; i < data.labels.size(); ++i) {
    if (single(i)) continue;
    sum += scores[data.original[i]];
    ++count;
  }
  const double rate = count > 0 ? sum / static_cast<double>(count) : 0;
  for (size_t i = 0; i < data.labels.size(); ++i) {
    if (single(i)) scores[data.original[i]] = std::min(rate, kFlagged);
  }
}

}  // namespace

std::string reason_not_to_use(const AuditSkill& skill) {
  return concat(skill.too_few_samples
                    ? "There are too few samples to distinguish wrong labels from difficult samples"
                    : "These features do not separate the classes",
                ": do not use this list.");
}

AuditResult audit_labels(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         int64_t num_classes, const AuditOptions& options,
                         const AuditProgress& progress) {
  const torch::NoGradGuard no_gradient;
  check_audit_input(embeddings, labels, num_classes, options);
  const auto groups = projection::group_by_class(labels.cpu());
  const auto data = make_audit_data(embeddings, groups, options);
  const auto ensemble = held_out_scores(data, progress);
  auto posterior = average_posterior(data, ensemble);
  exclude_inseparable_inplace(data, ensemble.best().logits, posterior);

  AuditResult result;
  result.skill = measure_skill(data, ensemble.best());
  result.score = torch::empty({data.size()}, torch::kDouble);
  result.suggested = torch::empty({data.size()}, torch::kLong);
  for (int64_t i = 0; i < data.size(); ++i) {
    score_sample(data, static_cast<size_t>(i), posterior.data() + i * data.classes(), groups,
                 result);
  }
  score_single_samples(data, result);
  result.noise_matrix = estimate_noise_matrix(data, posterior, groups, num_classes);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  result.noise_rate = result.skill.informative ? result.score.mean().item<double>() : kUnknown;
  const auto flagged = result.score.gt(kFlagged);
  result.flagged = flagged.sum().item<int64_t>();
  result.expected_precision =
      result.flagged > 0 ? result.score.masked_select(flagged).mean().item<double>() : kUnknown;
  return result;
}

namespace {

constexpr int64_t kWorst = 100;

double ratio(int64_t part, int64_t whole) {
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
    sum += static_cast<double>(wrong_here) * ratio(seen_wrong, static_cast<int64_t>(end));
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
  score.precision = ratio(count(wrong & flagged), count(flagged));
  score.recall = ratio(count(wrong & flagged), score.wrong);
  score.average_precision = average_precision(order, result.score.data_ptr<double>(), is_wrong);
  score.worst = std::min<int64_t>(kWorst, labels.size(0));
  score.worst_wrong = std::count_if(order.begin(), order.begin() + score.worst,
                                    [is_wrong](int64_t i) { return is_wrong[i]; });
  score.corrected = ratio(count(wrong & result.suggested.eq(truth)), score.wrong);
  return score;
}

}  // namespace projnce::eval
