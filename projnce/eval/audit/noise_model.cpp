#include "projnce/eval/audit/noise_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace projnce::eval {

namespace {

constexpr double kCorrectPseudoSamples = 2;  // assumed correct, so that clean data have rate 0
/// Lower bound of T[c, c] relative to the other entries of its row. Without it, a class can absorb
/// another one, whose samples are then all explained as mistakes.
constexpr double kDiagonalDominance = 1.1;
constexpr double kMinLikelihood = 1e-30;
constexpr int kMaxEmSteps = 30;
constexpr double kMinEmGain = 1e-5;  // gain per sample below which EM stops

size_t cell(int64_t row, int64_t column, int64_t classes) {
  return static_cast<size_t>(row * classes + column);
}

/// Returns column g of T as a contiguous vector.
std::vector<float> column_of(const NoiseModel& model, int64_t given) {
  std::vector<float> column(static_cast<size_t>(model.classes));
  for (int64_t c = 0; c < model.classes; ++c) {
    column[static_cast<size_t>(c)] = static_cast<float>(model.probability(c, given));
  }
  return column;
}

float dot(const float* a, const float* b, int64_t size) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t c = 0; c < size; ++c) sum += a[c] * b[c];
  return sum;
}

/// Expected number of samples with true class c and label g, [C, C], and the log likelihood of the
/// labels. Threads process whole classes, so that the order of sums is fixed.
struct ExpectedCounts {
  std::vector<double> joint;
  double log_likelihood = 0;
};

ExpectedCounts expected_counts(const NoiseModel& model, const ScoredLabels& samples,
                               const std::vector<float>& probabilities) {
  ExpectedCounts counts{.joint = std::vector<double>(model.matrix.size())};
  std::vector<double> of_class(static_cast<size_t>(model.classes), 0.0);
#pragma omp parallel for schedule(dynamic)
  for (int64_t g = 0; g < model.classes; ++g) {
    const auto column = column_of(model, g);
    std::vector<double> sums(column.size(), 0.0);
    double total = 0;
    for (const int64_t i : samples.members[static_cast<size_t>(g)]) {
      const float* p = probabilities.data() + cell(i, 0, model.classes);
      const double likelihood =
          std::max(double(dot(column.data(), p, model.classes)), kMinLikelihood);
      total += std::log(likelihood);
      const double share = 1 / likelihood;
#pragma omp simd
      for (size_t c = 0; c < sums.size(); ++c) sums[c] += share * (p[c] * column[c]);
    }
    for (int64_t c = 0; c < model.classes; ++c) {
      counts.joint[cell(c, g, model.classes)] = sums[static_cast<size_t>(c)];
    }
    of_class[static_cast<size_t>(g)] = total;
  }
  counts.log_likelihood = std::accumulate(of_class.begin(), of_class.end(), 0.0);
  return counts;
}

/// M-step: sets rate and matrix from `joint` with pseudo-samples of uniform noise.
void maximize(NoiseModel& model, const std::vector<double>& joint) {
  const auto classes = model.classes;
  const double total = std::accumulate(joint.begin(), joint.end(), 0.0);
  double correct = 0;
  for (int64_t c = 0; c < classes; ++c) correct += joint[cell(c, c, classes)];
  model.rate = std::max((total - correct) / (total + kCorrectPseudoSamples), kMinNoiseRate);
  const NoiseModel uniform(classes, model.rate);
  for (int64_t c = 0; c < classes; ++c) {
    double sum = 0;
    double largest_mistake = 0;
    for (int64_t g = 0; g < classes; ++g) {
      auto& entry = model.matrix[cell(c, g, classes)];
      entry = joint[cell(c, g, classes)] + model.prior_strength * uniform.probability(c, g);
      sum += entry;
      if (g != c) largest_mistake = std::max(largest_mistake, entry);
    }
    auto& own = model.matrix[cell(c, c, classes)];
    const double least = kDiagonalDominance * largest_mistake;
    sum += std::max(least - own, 0.0);
    own = std::max(own, least);
    for (int64_t g = 0; g < classes; ++g) model.matrix[cell(c, g, classes)] /= sum;
  }
}

}  // namespace

NoiseModel::NoiseModel(int64_t num_classes, double rate_)
    : classes(num_classes),
      matrix(cell(num_classes, 0, num_classes), rate_ / static_cast<double>(num_classes - 1)),
      rate(rate_) {
  for (int64_t c = 0; c < classes; ++c) matrix[cell(c, c, classes)] = 1 - rate;
}

ScoredLabels::ScoredLabels(const std::vector<float>& logits_, const std::vector<int64_t>& labels_,
                           int64_t num_classes)
    : logits(logits_),
      labels(labels_),
      classes(num_classes),
      members(static_cast<size_t>(num_classes)) {
  for (int64_t i = 0; i < size(); ++i) {
    members[static_cast<size_t>(labels[static_cast<size_t>(i)])].push_back(i);
  }
}

ScoredLabels ScoredLabels::every(size_t stride, size_t first) const {
  auto part = *this;
  for (auto& rows : part.members) {
    std::vector<int64_t> kept;
    for (size_t m = first; m < rows.size(); m += stride) kept.push_back(rows[m]);
    rows = std::move(kept);
  }
  return part;
}

int64_t ScoredLabels::used() const {
  size_t count = 0;
  for (const auto& rows : members) count += rows.size();
  return static_cast<int64_t>(count);
}

std::vector<float> class_probabilities(const ScoredLabels& samples, double inverse_temperature) {
  std::vector<float> probabilities(samples.logits.size(), 0.0F);
  const auto scale = static_cast<float>(inverse_temperature);
#pragma omp parallel for schedule(dynamic)
  for (int64_t g = 0; g < samples.classes; ++g) {
    for (const int64_t i : samples.members[static_cast<size_t>(g)]) {
      const float* logits = samples.logits.data() + cell(i, 0, samples.classes);
      float* p = probabilities.data() + cell(i, 0, samples.classes);
      const float largest = *std::max_element(logits, logits + samples.classes);
      float sum = 0;
      for (int64_t c = 0; c < samples.classes; ++c) {
        p[c] = std::exp(scale * (logits[c] - largest));
        sum += p[c];
      }
      for (int64_t c = 0; c < samples.classes; ++c) p[c] /= sum;
    }
  }
  return probabilities;
}

void fit_noise_matrix(NoiseModel& model, const ScoredLabels& samples,
                      const std::vector<float>& probabilities) {
  const double least_gain = kMinEmGain * static_cast<double>(samples.used());
  auto counts = expected_counts(model, samples, probabilities);
  for (int step = 0; step < kMaxEmSteps; ++step) {
    const double before = counts.log_likelihood;
    maximize(model, counts.joint);
    counts = expected_counts(model, samples, probabilities);
    if (std::abs(counts.log_likelihood - before) < least_gain) break;
  }
  model.log_likelihood = counts.log_likelihood;
}

double log_likelihood(const NoiseModel& model, const ScoredLabels& samples,
                      const std::vector<float>& probabilities) {
  return expected_counts(model, samples, probabilities).log_likelihood;
}

void posterior_inplace(const NoiseModel& model, const ScoredLabels& samples,
                       std::vector<float>& probabilities) {
#pragma omp parallel for schedule(dynamic)
  for (int64_t g = 0; g < model.classes; ++g) {
    const auto column = column_of(model, g);
    for (const int64_t i : samples.members[static_cast<size_t>(g)]) {
      float* p = probabilities.data() + cell(i, 0, model.classes);
      float sum = 0;
      for (int64_t c = 0; c < model.classes; ++c) {
        p[c] *= column[static_cast<size_t>(c)];
        sum += p[c];
      }
      // Every product underflowed: use the label alone.
      if (!(sum > 0)) p[g] = sum = 1;
      for (int64_t c = 0; c < model.classes; ++c) p[c] /= sum;
    }
  }
}

namespace {

// Pseudo-samples of uniform noise per row of T.
constexpr double kUniformStrength = 1e4;  // effectively uniform
constexpr std::array kPatternStrengths = {1e2, 1e1, 3.0};
constexpr double kPatternStrength = 10;  // used in the temperature search for a pattern
/// Prior of the inverse temperature, with density proportional to it. In tight clusters, soft
/// probabilities explain labels as well as label noise does; this prior prefers noise.
constexpr double kSharpnessPrior = 1;
constexpr double kFirstRate = 0.05;
constexpr double kLowestLog = -1.6;  // log of the inverse temperature
constexpr double kHighestLog = 2.4;
constexpr int kCoarseSteps = 11;
constexpr double kFineWidth = 0.6;
constexpr int kFineSteps = 7;
constexpr int64_t kSearchSamples = 8000;  // more samples would not change the selection

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

/// Fits a model at each inverse temperature, starting from the previous one.
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
  // From sharp to soft: soft probabilities would start without any noise.
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

/// A prior strength and its held-out log likelihood.
struct Choice {
  NoiseModel model;
  double held_out;
};

/// Returns the strength with the best held-out likelihood at the model's temperature.
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

}  // namespace projnce::eval
