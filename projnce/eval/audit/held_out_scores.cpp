#include "projnce/eval/audit/held_out_scores.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/logistic_regression.h"
#include "projnce/eval/nearest_neighbors.h"

namespace projnce::eval {

namespace {

constexpr std::array<int64_t, 4> kNeighbors = {5, 10, 20, 40};

constexpr int64_t kMaxVoters = 30000;  // bounds the time, O(rows * voters)

/// Returns indices of evenly spaced rows, or of all rows if there are few.
torch::Tensor choose_voters(int64_t rows) {
  const int64_t count = std::min(rows, kMaxVoters);
  return torch::arange(count, torch::kLong) * rows / count;
}

/// Returns the nearest voters of each row, excluding the row itself, [N, k], nearest first.
torch::Tensor nearest_voters(const FoldData& data, int64_t k) {
  const auto voters = choose_voters(data.size()).to(torch::kLong);
  const auto nearest =
      nearest_neighbors(data.rows, data.rows.index_select(0, voters),
                        {.neighbors = k + 1, .similarity = kernel::Similarity::kDistance});
  const auto found = voters.index({nearest.indices}).contiguous();  // [N, k + 1]
  auto kept = torch::empty({data.size(), k}, torch::kLong);
  const auto from = found.accessor<int64_t, 2>();
  auto to = kept.accessor<int64_t, 2>();
  for (int64_t i = 0; i < data.size(); ++i) {
    int64_t count = 0;
    for (int64_t j = 0; j <= k && count < k; ++j) {
      if (from[i][j] != i) to[i][count++] = from[i][j];
    }
  }
  return kept;
}

/// Returns the log of the smoothed votes of the 5, 10, 20 and 40 nearest other rows, [N, C] each:
/// log((votes_c + share_c) / (k + 1)), where share_c is the fraction of class c. No row votes for
/// itself. For large N only a subset of the rows votes.
std::vector<std::vector<float>> neighbor_log_votes(const FoldData& data) {
  const int64_t most = std::min({kNeighbors.back(), data.size() - 1, kMaxVoters - 1});
  const auto nearest = nearest_voters(data, most);
  const auto voters = nearest.accessor<int64_t, 2>();
  const int64_t classes = data.classes();
  std::vector<float> shares;
  for (const int64_t count : data.class_counts) {
    shares.push_back(static_cast<float>(count) / static_cast<float>(data.size()));
  }
  std::vector<std::vector<float>> all;
  for (const int64_t k : kNeighbors) {
    if (k > most) break;
    auto& votes = all.emplace_back(static_cast<size_t>(data.size() * classes));
    for (int64_t i = 0; i < data.size(); ++i) {
      float* row = votes.data() + i * classes;
      std::copy(shares.begin(), shares.end(), row);
      for (int64_t j = 0; j < k; ++j) row[data.labels[static_cast<size_t>(voters[i][j])]] += 1;
      for (int64_t c = 0; c < classes; ++c) row[c] = std::log(row[c] / static_cast<float>(k + 1));
    }
  }
  return all;
}

constexpr std::array kWeightDecays = {100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03};

constexpr size_t kDecaysWithNoise = 3;  // number of best decays for which a noise model is fitted

constexpr int kMaxFitSteps = 40;

constexpr int kMaxRefitSteps = 25;

constexpr int kMaxRefits = 4;

constexpr double kNegligible = 5;  // nats behind the best: a weight below one percent

constexpr size_t kMaxMixtures = 4;  // mixtures for which a noise model is fitted

constexpr double kMinRefitGain = 2;  // nats; refitting stops below this gain

constexpr double kMinRefitGainPerSample = 1e-3;

/// Stages per kind of noise: fits, refits, neighbors.
constexpr int64_t kStagesPerKind = kDecaysWithNoise + kMaxRefits + 1;

constexpr int64_t kStages = kWeightDecays.size() + 2 * kStagesPerKind;

/// A classifier, its held-out logits and the label noise that fits them.
struct Candidate {
  double weight_decay;
  CrossValidatedRegression regression;
  HeldOutScores scores;
  double plain_likelihood = 0;  ///< likelihood of the given labels without noise

  double held_out() const { return scores.fit.held_out; }
};

/// Weights of a sum of logits: of the classifier and of the neighbor votes.
struct Mixture {
  float classifier;
  float neighbors;
};

constexpr std::array<Mixture, 5> kMixtures = {
    {{1.0F, 0.25F}, {1.0F, 0.5F}, {1.0F, 1.0F}, {0.5F, 1.0F}, {0.0F, 1.0F}}};

/// Counts finished stages.
class Stages {
 public:
  explicit Stages(const StageProgress& progress) : progress_(progress) {}

  void finish() { finish_until(finished_ + 1); }
  void finish_until(int64_t count) {
    finished_ = count;
    if (progress_) progress_(finished_, kStages);
  }

 private:
  const StageProgress& progress_;
  int64_t finished_ = 0;
};

/// Search over candidates for one kind of noise.
class CandidateSearch {
 public:
  CandidateSearch(const FoldData& data, NoiseKind kind, Stages& stages)
      : data_(data), kind_(kind), stages_(stages) {}

  /// Starts from classifiers fitted without noise, and log votes of the neighbors.
  HeldOutEnsemble run(const std::vector<Candidate>& plain,
                      const std::vector<std::vector<float>>& neighbor_votes);

 private:
  ScoredLabels scored(const std::vector<float>& logits) const {
    return {logits, data_.labels, data_.classes()};
  }
  void keep(HeldOutScores scores);
  Candidate best_of(std::vector<Candidate> candidates);
  bool refit(Candidate& current, bool try_smaller_decay);
  void add_neighbors(const HeldOutScores& scores,
                     const std::vector<std::vector<float>>& neighbor_votes);
  HeldOutEnsemble weighted_ensemble();

  const FoldData& data_;
  NoiseKind kind_;
  Stages& stages_;
  std::vector<HeldOutScores> kept_;
  double best_ = -INFINITY;  ///< held-out likelihood of the best candidate
};

/// Keeps candidates with non-negligible weight.
void CandidateSearch::keep(HeldOutScores scores) {
  best_ = std::max(best_, scores.fit.held_out);
  kept_.push_back(std::move(scores));
  std::erase_if(kept_,
                [this](const auto& other) { return other.fit.held_out < best_ - kNegligible; });
}

double plain_log_likelihood(const ScoredLabels& samples) {
  const auto probabilities = class_probabilities(samples, 1);
  double sum = 0;
  for (int64_t i = 0; i < samples.size(); ++i) {
    const auto label = samples.labels[static_cast<size_t>(i)];
    const auto p = probabilities[static_cast<size_t>(i * samples.classes + label)];
    sum += std::log(std::max(p, 1e-12F));
  }
  return sum;
}

/// Fits from strong to weak regularization with warm starts; stops after two consecutive candidates
/// that predict held-out labels worse than the best.
std::vector<Candidate> plain_candidates(const FoldData& data, Stages& stages) {
  std::vector<Candidate> candidates;
  CrossValidatedRegression regression(data);
  double best = -INFINITY;
  int worse = 0;
  for (const double decay : kWeightDecays) {
    regression.fit(decay, nullptr, kMaxFitSteps);
    auto logits = regression.held_out_logits();
    const double likelihood = plain_log_likelihood({logits, data.labels, data.classes()});
    candidates.push_back({decay,
                          regression,
                          {std::move(logits), NoiseFit{.best = NoiseModel(data.classes(), 0)}},
                          likelihood});
    stages.finish();
    worse = likelihood < best ? worse + 1 : 0;
    best = std::max(best, likelihood);
    if (worse == 2) break;
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.plain_likelihood > b.plain_likelihood;
  });
  candidates.erase(
      candidates.begin() + static_cast<int64_t>(std::min(candidates.size(), kDecaysWithNoise)),
      candidates.end());
  return candidates;
}

Candidate CandidateSearch::best_of(std::vector<Candidate> candidates) {
  size_t best = 0;
  for (size_t k = 0; k < candidates.size(); ++k) {
    auto& scores = candidates[k].scores;
    scores.fit = fit_noise(scored(scores.logits), kind_);
    keep(scores);
    if (candidates[k].held_out() > candidates[best].held_out()) best = k;
    stages_.finish();
  }
  return std::move(candidates[best]);
}

/// Refits the classifier under its noise model; returns true if another round may help.
bool CandidateSearch::refit(Candidate& current, bool try_smaller_decay) {
  const double before = current.held_out();
  const auto noise = current.scores.fit.best;
  // Start from the current weights rather than those scaled by the noise model: sharp logits have
  // vanishing gradients, and a class that is never predicted in a fold would stay so.
  const auto start = current.regression;
  std::vector<double> decays = {current.weight_decay};
  if (try_smaller_decay) decays.push_back(current.weight_decay / 3);
  for (const double decay : decays) {
    auto regression = start;
    regression.fit(decay, &noise, kMaxRefitSteps);
    auto logits = regression.held_out_logits();
    auto fit = fit_noise(scored(logits), kind_);
    Candidate next{decay, std::move(regression), {std::move(logits), std::move(fit)}};
    keep(next.scores);
    if (next.held_out() > current.held_out()) current = std::move(next);
  }
  stages_.finish();
  return current.held_out() - before >
         std::max(kMinRefitGain, kMinRefitGainPerSample * static_cast<double>(data_.size()));
}

/// Adds nearest-neighbor votes to the logits of a classifier, in several proportions. A quick
/// comparison selects those for which a noise model is fitted.
void CandidateSearch::add_neighbors(const HeldOutScores& scores,
                                    const std::vector<std::vector<float>>& neighbor_votes) {
  const auto& noise = scores.fit.best;
  const auto scale = static_cast<float>(noise.inverse_temperature);
  std::vector<std::pair<double, std::vector<float>>> mixed;  // likelihood and logits
  double best = quick_held_out(scored(scores.logits), noise);
  for (const auto& votes : neighbor_votes) {
    for (const auto& weight : kMixtures) {
      std::vector<float> logits(votes.size());
      for (size_t k = 0; k < logits.size(); ++k) {
        logits[k] = weight.classifier * scale * scores.logits[k] + weight.neighbors * votes[k];
      }
      const double held_out = quick_held_out(scored(logits), noise);
      best = std::max(best, held_out);
      mixed.emplace_back(held_out, std::move(logits));
      std::erase_if(mixed, [&](const auto& pair) { return pair.first < best - kNegligible; });
    }
  }
  std::stable_sort(mixed.begin(), mixed.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (mixed.size() > kMaxMixtures) mixed.resize(kMaxMixtures);
  for (auto& [held_out, logits] : mixed) {
    auto fit = fit_noise(scored(logits), kind_);
    // Correct for multiple comparisons: the prior of each mixture is 1 / (number of mixtures).
    fit.held_out -= std::log(static_cast<double>(neighbor_votes.size() * kMixtures.size()));
    keep({std::move(logits), std::move(fit)});
  }
}

HeldOutEnsemble CandidateSearch::weighted_ensemble() {
  HeldOutEnsemble ensemble{.members = std::move(kept_), .weights = {}};
  double sum = 0;
  for (const auto& member : ensemble.members) {
    ensemble.weights.push_back(std::exp(member.fit.held_out - best_));
    sum += ensemble.weights.back();
  }
  for (double& weight : ensemble.weights) weight /= sum;
  return ensemble;
}

HeldOutEnsemble CandidateSearch::run(const std::vector<Candidate>& plain,
                                     const std::vector<std::vector<float>>& neighbor_votes) {
  auto current = best_of(plain);
  for (int round = 0; round < kMaxRefits; ++round) {
    if (!refit(current, /*try_smaller_decay=*/round < 2)) break;
  }
  add_neighbors(current.scores, neighbor_votes);
  return weighted_ensemble();
}

/// Concatenates two ensembles, with total weight `weight` for the second.
HeldOutEnsemble join(HeldOutEnsemble first, HeldOutEnsemble second, double weight) {
  for (double& value : first.weights) value *= 1 - weight;
  for (size_t m = 0; m < second.members.size(); ++m) {
    first.members.push_back(std::move(second.members[m]));
    first.weights.push_back(weight * second.weights[m]);
  }
  return first;
}

}  // namespace

const HeldOutScores& HeldOutEnsemble::best() const {
  const auto largest = std::max_element(weights.begin(), weights.end()) - weights.begin();
  return members[static_cast<size_t>(largest)];
}

HeldOutEnsemble held_out_scores(const FoldData& data, const StageProgress& progress) {
  Stages stages(progress);
  const auto plain = plain_candidates(data, stages);
  const auto votes = neighbor_log_votes(data);
  stages.finish_until(kWeightDecays.size());
  auto uniform = CandidateSearch(data, NoiseKind::kUniform, stages).run(plain, votes);
  stages.finish_until(kWeightDecays.size() + kStagesPerKind);
  auto pattern = CandidateSearch(data, NoiseKind::kPattern, stages).run(plain, votes);
  stages.finish_until(kStages);
  const double weight = pattern_weight(data, uniform.best(), pattern.best());
  return join(std::move(uniform), std::move(pattern), weight);
}

}  // namespace projnce::eval
