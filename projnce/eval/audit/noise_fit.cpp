#include "projnce/eval/audit/noise_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace projnce {

namespace {

// Pseudo-samples of uniform noise per row of T.
constexpr double kUniformStrength = 1e4;  // nothing else is left, for all that matters
constexpr std::array kPatternStrengths = {1e2, 1e1, 3.0};
constexpr double kPatternStrength = 10;  // that temperatures for other noise are searched with
/// Prior of the inverse temperature, density proportional to it. Inside tight clusters soft
/// probabilities explain labels as well as label noise does; this decides for noise.
constexpr double kSharpnessPrior = 1;
constexpr double kFirstRate = 0.05;
constexpr double kLowestLog = -1.6;  // of the inverse temperature
constexpr double kHighestLog = 2.4;
constexpr int kCoarseSteps = 11;
constexpr double kFineWidth = 0.6;
constexpr int kFineSteps = 7;
constexpr int64_t kSearchSamples = 8000;  // more would not change what is chosen

double penalized(const NoiseModel& model) {
  return model.log_likelihood + kSharpnessPrior * std::log(model.inverse_temperature);
}

std::vector<double> geometric(double center, double low, double high, int steps) {
  std::vector<double> values;
  for (int k = 0; k < steps; ++k) {
    values.push_back(center * std::exp(low + (high - low) * k / (steps - 1)));
  }
  return values;
}

/// A model at each inverse temperature, every one started from the one before.
std::vector<NoiseModel> models_at(const std::vector<double>& inverse_temperatures, NoiseModel start,
                                  const ScoredLabels& samples) {
  std::vector<NoiseModel> models;
  for (const double value : inverse_temperatures) {
    start.inverse_temperature = value;
    fit_noise_matrix(start, samples, class_probabilities(samples, value));
    models.push_back(start);
  }
  return models;
}

const NoiseModel& most_likely(const std::vector<NoiseModel>& models) {
  return *std::max_element(models.begin(), models.end(), [](const auto& a, const auto& b) {
    return penalized(a) < penalized(b);
  });
}

NoiseModel search_temperature(const ScoredLabels& samples, double strength) {
  NoiseModel start(samples.classes, kFirstRate);
  start.prior_strength = strength;
  // From sharp to soft: a start from soft probabilities would begin without any noise.
  auto grid = geometric(1, kLowestLog, kHighestLog, kCoarseSteps);
  std::reverse(grid.begin(), grid.end());
  return most_likely(models_at(grid, start, samples));
}

/// Log likelihood of each half under the matrix of the other.
double cross_likelihood(const ScoredLabels& samples, const NoiseModel& model,
                        const std::vector<float>& probabilities) {
  const std::array halves = {samples.every(2, 0), samples.every(2, 1)};
  double sum = 0;
  for (size_t h = 0; h < halves.size(); ++h) {
    NoiseModel of_half(model.classes, std::max(model.rate, 1e-3));
    of_half.prior_strength = model.prior_strength;
    fit_noise_matrix(of_half, halves[h], probabilities);
    sum += log_likelihood(of_half, halves[1 - h], probabilities);
  }
  return sum;
}

/// A prior strength, and the held-out log likelihood that it leads to.
struct Choice {
  NoiseModel model;
  double held_out;
};

/// The strength that predicts held-out labels best at the model's temperature.
Choice best_pattern(const ScoredLabels& samples, NoiseModel model) {
  const auto probabilities = class_probabilities(samples, model.inverse_temperature);
  Choice best{model, -INFINITY};
  for (const double strength : kPatternStrengths) {
    model.prior_strength = strength;
    const double held_out = cross_likelihood(samples, model, probabilities);
    if (held_out > best.held_out) best = {model, held_out};
  }
  return best;
}

Choice choose_noise(const ScoredLabels& samples, NoiseKind kind) {
  if (kind == NoiseKind::kPattern) {
    return best_pattern(samples, search_temperature(samples, kPatternStrength));
  }
  const auto model = search_temperature(samples, kUniformStrength);
  const auto probabilities = class_probabilities(samples, model.inverse_temperature);
  return {model, cross_likelihood(samples, model, probabilities)};
}

ScoredLabels search_part(const ScoredLabels& samples) {
  const auto stride = (samples.used() + kSearchSamples - 1) / kSearchSamples;
  return samples.every(static_cast<size_t>(std::max<int64_t>(stride, 1)), 0);
}

}  // namespace

NoiseFit fit_noise(const ScoredLabels& samples, NoiseKind kind) {
  const auto part = search_part(samples);
  const auto choice = choose_noise(part, kind);
  const auto grid =
      geometric(choice.model.inverse_temperature, -kFineWidth, kFineWidth, kFineSteps);
  NoiseFit fit{.kind = kind,
               .best = choice.model,
               .models = {},
               .weights = {},
               .held_out = choice.held_out,
               .held_out_samples = part.used()};
  fit.models = models_at(grid, choice.model, samples);
  fit.best = most_likely(fit.models);
  double sum = 0;
  for (const auto& model : fit.models) {
    fit.weights.push_back(std::exp(penalized(model) - penalized(fit.best)));
    sum += fit.weights.back();
  }
  for (double& weight : fit.weights) weight /= sum;
  return fit;
}

double quick_held_out(const ScoredLabels& all, const NoiseModel& start) {
  const auto samples = search_part(all);
  const auto model = most_likely(models_at(geometric(1, -1.2, 0.6, 4), start, samples));
  return cross_likelihood(samples, model, class_probabilities(samples, model.inverse_temperature));
}

std::vector<float> true_class_probabilities(const NoiseFit& fit, const ScoredLabels& samples) {
  std::vector<float> average(samples.logits.size(), 0.0F);
  for (size_t m = 0; m < fit.models.size(); ++m) {
    const auto weight = static_cast<float>(fit.weights[m]);
    if (weight < 1e-4F) continue;
    auto posterior = class_probabilities(samples, fit.models[m].inverse_temperature);
    posterior_inplace(fit.models[m], samples, posterior);
    for (size_t k = 0; k < average.size(); ++k) average[k] += weight * posterior[k];
  }
  return average;
}

}  // namespace projnce
