#include "projnce/eval/audit/audit.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/eval/audit/corrected_vectors.h"
#include "projnce/eval/audit/folds.h"
#include "projnce/eval/audit/noise_model.h"
#include "projnce/projection/class_matrix.h"
#include "projnce/projection/median.h"

namespace projnce {

namespace {

constexpr double kFirstRate = 0.2;
constexpr int kMaxRounds = 8;
constexpr double kSettled = 0.002;  // a change of the noise rate that ends the rounds
constexpr int kStepsOfRound = 20;

void check_audit_input(const torch::Tensor& embeddings, const torch::Tensor& labels,
                       int64_t num_classes, const AuditOptions& options) {
  if (embeddings.dim() != 2 || labels.dim() != 1 || embeddings.size(0) != labels.size(0)) {
    fail("embeddings of shape ", embeddings.sizes(), " do not fit labels of shape ", labels.sizes(),
         ", expected a row for each label");
  }
  if (options.folds < 2) fail("an audit needs 2 folds or more, not ", options.folds);
  if (embeddings.size(0) == 0) fail("there are no samples to audit");
  check_labels(labels, num_classes, "audit");
  const auto finite = embeddings.isfinite().all(/*dim=*/1);
  if (!finite.all().item<bool>()) {
    fail("row ", finite.logical_not().nonzero()[0].item<int64_t>(),
         " of the embeddings is not finite");
  }
}

/// Rows around zero with a mean square length of one, in whatever units they came.
torch::Tensor common_scale(const torch::Tensor& embeddings) {
  auto rows = embeddings.to(torch::kCPU, torch::kDouble);
  const auto largest = rows.abs().max().item<double>();
  if (largest > 0) rows = rows / largest;  // squares do not overflow
  rows = rows - rows.mean(/*dim=*/0, /*keepdim=*/true);
  const double length = rows.square().sum(/*dim=*/1).mean().sqrt().item<double>();
  if (!(length > 1e-7)) fail("all embeddings are equal: they say nothing about labels");
  return (rows / length).to(torch::kFloat32).contiguous();
}

/// The samples of an audit; classes that occur are numbered 0 .. K - 1.
struct AuditData {
  torch::Tensor rows;  // [N, D], float
  ClassGroups groups;
  std::vector<int64_t> labels;
  std::vector<int64_t> fold;
  int64_t folds;

  int64_t size() const { return rows.size(0); }
  int64_t dim() const { return rows.size(1); }
  int64_t classes() const { return groups.size(); }

  LabelledRows outside(int64_t left_out) const;
};

LabelledRows AuditData::outside(int64_t left_out) const {
  LabelledRows data{.rows = rows.data_ptr<float>(),
                    .labels = labels.data(),
                    .dim = dim(),
                    .classes = classes(),
                    .used = {}};
  for (int64_t i = 0; i < size(); ++i) {
    if (fold[static_cast<size_t>(i)] != left_out) data.used.push_back(i);
  }
  return data;
}

AuditData make_audit_data(const torch::Tensor& embeddings, const torch::Tensor& labels,
                          const AuditOptions& options) {
  AuditData data{.rows = common_scale(embeddings),
                 .groups = group_by_class(labels),
                 .labels = {},
                 .fold = {},
                 .folds = std::min(options.folds, embeddings.size(0))};
  if (data.classes() < 2) {
    fail(Hint{"labels of one class cannot be told from each other"}, "all ", data.size(),
         " samples have the same label, expected two classes or more");
  }
  const auto ids = data.groups.ids.contiguous();
  data.labels.assign(ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + data.size());
  data.fold = stratified_folds(data.labels, data.classes(), data.folds, options.seed);
  return data;
}

/// Nearest median: w = m, b = -|m|^2 / 2. A class without samples here has zeros.
ClassScorer median_scorer(const AuditData& data, const std::vector<int64_t>& used) {
  const auto index = torch::tensor(used, torch::kLong);
  const auto rows = data.rows.index_select(0, index);
  const auto groups = group_by_class(data.groups.ids.index_select(0, index));
  const auto medians =
      project_medians({.rows = rows, .groups = groups}, {}).vectors.to(torch::kDouble);
  auto parameters = torch::zeros({data.classes(), data.dim() + 1}, torch::kDouble);
  const auto offsets = medians.square().sum(/*dim=*/1, /*keepdim=*/true) * -0.5;
  parameters.index_copy_(0, groups.labels, torch::cat({medians, offsets}, /*dim=*/1));
  const double* values = parameters.data_ptr<double>();
  return {.dim = data.dim(),
          .classes = data.classes(),
          .parameters = std::vector<double>(values, values + parameters.numel())};
}

void score_fold(const AuditData& data, int64_t fold, const ClassScorer& scorer,
                std::vector<float>& scores) {
  const float* rows = data.rows.data_ptr<float>();
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < data.size(); ++i) {
    if (data.fold[static_cast<size_t>(i)] != fold) continue;
    scorer.score(rows + i * data.dim(), scores.data() + i * data.classes());
  }
}

/// Scores of class vectors that have not seen the label, [N, K], and the noise that fits them.
std::vector<float> judge_out_of_fold(const AuditData& data, NoiseModel& noise,
                                     const AuditProgress& progress) {
  std::vector<float> scores(static_cast<size_t>(data.size() * data.classes()));
  std::vector<LabelledRows> others;
  std::vector<ClassScorer> scorers;
  for (int64_t fold = 0; fold < data.folds; ++fold) {
    others.push_back(data.outside(fold));
    scorers.push_back(median_scorer(data, others.back().used));
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    for (int64_t fold = 0; fold < data.folds; ++fold) {
      auto& scorer = scorers[static_cast<size_t>(fold)];
      learn_corrected_vectors(scorer, others[static_cast<size_t>(fold)], noise, kStepsOfRound);
      score_fold(data, fold, scorer, scores);
      if (progress) progress(round * data.folds + fold + 1, kMaxRounds * data.folds);
    }
    const double before = noise.rate;
    improve_noise_model(noise, ScoredLabels(scores, data.labels, data.classes()));
    if (std::abs(noise.rate - before) < kSettled) break;
  }
  return scores;
}

/// Fills score and suggested of one sample from P(true class | z, label), [K].
void judge_sample(const AuditData& data, int64_t sample, const float* probabilities,
                  AuditResult& result) {
  const int64_t given = data.labels[static_cast<size_t>(sample)];
  int64_t other = given == 0 ? 1 : 0;
  double wrong = 0;
  for (int64_t c = 0; c < data.classes(); ++c) {
    if (c == given) continue;
    wrong += probabilities[c];
    if (probabilities[c] > probabilities[other]) other = c;
  }
  if (data.groups.counts[given].item<int64_t>() == 1) wrong = result.noise_rate;
  wrong = std::min(wrong, 1.0);
  const int64_t suggested = wrong > kFlagged ? other : given;
  result.score.data_ptr<double>()[sample] = wrong;
  result.suggested.data_ptr<int64_t>()[sample] = data.groups.labels.data_ptr<int64_t>()[suggested];
}

torch::Tensor expand_matrix(const std::vector<double>& matrix, const ClassGroups& groups,
                            int64_t num_classes) {
  auto all = torch::eye(num_classes, torch::kDouble);
  const auto known = torch::tensor(matrix, torch::kDouble).view({groups.size(), groups.size()});
  all.index_put_({groups.labels.unsqueeze(1), groups.labels.unsqueeze(0)}, known);
  return all;
}

}  // namespace

AuditResult audit_labels(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         int64_t num_classes, const AuditOptions& options,
                         const AuditProgress& progress) {
  const torch::NoGradGuard no_gradient;
  check_audit_input(embeddings, labels, num_classes, options);
  const auto data = make_audit_data(embeddings, labels.cpu(), options);
  NoiseModel noise(data.classes(), kFirstRate);
  const auto scores = judge_out_of_fold(data, noise, progress);
  const ScoredLabels samples(scores, data.labels, data.classes());

  AuditResult result;
  result.score = torch::empty({data.size()}, torch::kDouble);
  result.suggested = torch::empty({data.size()}, torch::kLong);
  result.noise_rate = noise.rate;
  result.noise_matrix =
      expand_matrix(observed_noise_matrix(noise, samples), data.groups, num_classes);
  const auto probabilities = true_class_probabilities(noise, samples);
  for (int64_t i = 0; i < data.size(); ++i) {
    judge_sample(data, i, probabilities.data() + i * data.classes(), result);
  }
  result.noise_rate = result.score.mean().item<double>();
  result.flagged = result.score.gt(kFlagged).sum().item<int64_t>();
  return result;
}

}  // namespace projnce
