#include "projnce/eval/audit/held_out_scores.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace projnce::eval {

namespace {

constexpr double kSureShare = 0.3;
/// Gain in nats per sample at which a pattern gets half of the weight if no confident sample is
/// wrong. Clean image features reach a third of it; 20 % of wrong labels in a pattern more than
/// twice as much.
constexpr double kGainWithoutFlatness = 0.15;
constexpr double kMinGain = 4;  // nats in total
constexpr double kMinWeight = 0.01;
constexpr double kApart = 0.98;     // mean confidence above which classes do not overlap
constexpr double kNearlyEqual = 1;  // nats in total

struct Prediction {
  double confidence;
  bool mistaken;
};

/// Predictions grouped by predicted class.
std::vector<std::vector<Prediction>> predictions_of(const FoldData& data,
                                                    const HeldOutScores& scores) {
  const ScoredLabels samples(scores.logits, data.labels, data.classes());
  const auto probabilities = class_probabilities(samples, scores.fit.best.inverse_temperature);
  std::vector<std::vector<Prediction>> predicted(static_cast<size_t>(data.classes()));
  for (int64_t i = 0; i < data.size(); ++i) {
    const float* row = probabilities.data() + i * data.classes();
    const float* largest = std::max_element(row, row + data.classes());
    const int64_t label = largest - row;
    predicted[static_cast<size_t>(label)].push_back(
        {*largest, label != data.labels[static_cast<size_t>(i)]});
  }
  return predicted;
}

/// Mean probability of the most likely class.
double mean_confidence(const FoldData& data, const HeldOutScores& scores) {
  double sum = 0;
  for (const auto& of_class : predictions_of(data, scores)) {
    for (const auto& prediction : of_class) sum += prediction.confidence;
  }
  return sum / static_cast<double>(data.size());
}

}  // namespace

double flatness_of_mistakes(const FoldData& data, const HeldOutScores& scores) {
  int64_t sure = 0;
  int64_t sure_mistakes = 0;
  int64_t mistakes = 0;
  for (auto& of_class : predictions_of(data, scores)) {
    std::stable_sort(of_class.begin(), of_class.end(),
                     [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    const auto count =
        static_cast<size_t>(std::ceil(kSureShare * static_cast<double>(of_class.size())));
    sure += static_cast<int64_t>(count);
    for (size_t k = 0; k < of_class.size(); ++k) {
      mistakes += of_class[k].mistaken;
      sure_mistakes += k < count && of_class[k].mistaken;
    }
  }
  if (mistakes == 0) return 0;
  return double(sure_mistakes) / double(sure) / (double(mistakes) / double(data.size()));
}

double pattern_weight(const FoldData& data, const HeldOutScores& uniform,
                      const HeldOutScores& pattern) {
  const double gain = pattern.fit.held_out - uniform.fit.held_out;
  // Separated classes have no overlap that a pattern could model by mistake.
  if (gain > -kNearlyEqual && mean_confidence(data, pattern) > kApart) return 1;
  const auto samples = static_cast<double>(pattern.fit.held_out_samples);
  const double slope = std::max(1 - flatness_of_mistakes(data, pattern), 0.0);
  const double required = std::max(kGainWithoutFlatness * slope * slope * samples, kMinGain);
  return std::clamp(gain / (2 * required), kMinWeight, 1.0);
}

}  // namespace projnce::eval
