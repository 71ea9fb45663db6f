#include "projnce/eval/audit/noise_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace projnce {

namespace {

constexpr std::array kPulls = {10.0, 100.0, 1000.0, 10000.0};  // pseudo-samples that are tried
constexpr double kSureSamples = 2;   // right ones, taken for granted: a clean set has rate 0
constexpr double kLeastRate = 1e-3;  // no label is beyond doubt
constexpr int kPasses = 4;           // line search and expectation maximisation, in turns
constexpr int kStepsOfT = 10;        // in each pass
constexpr int kStepsOfSearch = 8;
constexpr double kSearchWidth = 0.7;  // around the logarithm of the sharpness

size_t cell(int64_t row, int64_t column, int64_t classes) {
  return static_cast<size_t>(row * classes + column);
}

/// p(c|z) of one sample.
void class_probabilities(const ScoredLabels& samples, int64_t sample, double sharpness,
                         float* out) {
  const float* scores = samples.scores.data() + cell(sample, 0, samples.classes);
  const auto largest = *std::max_element(scores, scores + samples.classes);
  float sum = 0;
  for (int64_t c = 0; c < samples.classes; ++c) {
    out[c] = std::exp(static_cast<float>(sharpness) * (scores[c] - largest));
    sum += out[c];
  }
  for (int64_t c = 0; c < samples.classes; ++c) out[c] /= sum;
}

std::vector<float> all_class_probabilities(const ScoredLabels& samples, double sharpness) {
  std::vector<float> probabilities(samples.scores.size());
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < samples.size(); ++i) {
    class_probabilities(samples, i, sharpness, probabilities.data() + cell(i, 0, samples.classes));
  }
  return probabilities;
}

/// Column g of T, in one piece.
std::vector<double> given_column(const NoiseModel& model, int64_t given) {
  std::vector<double> column(static_cast<size_t>(model.classes));
  for (int64_t c = 0; c < model.classes; ++c)
    column[static_cast<size_t>(c)] = model.probability(c, given);
  return column;
}

/// Minus the logarithm of the labels' likelihood. Threads take whole classes: sums keep their
/// order.
double misfit(const NoiseModel& model, const ScoredLabels& samples, double sharpness) {
  std::vector<double> of_class(static_cast<size_t>(model.classes), 0.0);
#pragma omp parallel
  {
    std::vector<float> probabilities(static_cast<size_t>(model.classes));
#pragma omp for schedule(dynamic)
    for (int64_t g = 0; g < model.classes; ++g) {
      const auto column = given_column(model, g);
      double sum = 0;
      for (const int64_t i : samples.members[static_cast<size_t>(g)]) {
        class_probabilities(samples, i, sharpness, probabilities.data());
        const double likelihood =
            std::inner_product(column.begin(), column.end(), probabilities.begin(), 0.0);
        sum -= std::log(std::max(likelihood, 1e-30));
      }
      of_class[static_cast<size_t>(g)] = sum;
    }
  }
  return std::accumulate(of_class.begin(), of_class.end(), 0.0);
}

/// Golden-section search around the present sharpness.
void improve_sharpness(NoiseModel& model, const ScoredLabels& samples) {
  constexpr double kGolden = 0.6180339887498949;
  const auto value = [&](double log) { return misfit(model, samples, std::exp(log)); };
  double low = std::log(model.sharpness) - kSearchWidth;
  double high = std::log(model.sharpness) + kSearchWidth;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = value(left);
  double at_right = value(right);
  for (int step = 0; step < kStepsOfSearch; ++step) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = value(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = value(right);
    }
  }
  model.sharpness = std::exp((low + high) / 2);
}

/// Expected number of samples with true class c and label g, [C, C].
std::vector<double> expected_joint(const NoiseModel& model, const ScoredLabels& samples,
                                   const std::vector<float>& probabilities) {
  std::vector<double> joint(model.matrix.size());
#pragma omp parallel for schedule(dynamic)
  for (int64_t g = 0; g < model.classes; ++g) {
    const auto column = given_column(model, g);
    std::vector<double> sums(column.size(), 0.0);
    for (const int64_t i : samples.members[static_cast<size_t>(g)]) {
      const float* p = probabilities.data() + cell(i, 0, model.classes);
      const double likelihood = std::inner_product(column.begin(), column.end(), p, 0.0);
      const double share = 1 / std::max(likelihood, 1e-30);
      for (size_t c = 0; c < sums.size(); ++c) sums[c] += p[c] * column[c] * share;
    }
    for (int64_t c = 0; c < model.classes; ++c) {
      joint[cell(c, g, model.classes)] = sums[static_cast<size_t>(c)];
    }
  }
  return joint;
}

void improve_matrix(NoiseModel& model, const std::vector<double>& joint) {
  const auto classes = model.classes;
  double total = std::accumulate(joint.begin(), joint.end(), 0.0);
  double right = 0;
  for (int64_t c = 0; c < classes; ++c) right += joint[cell(c, c, classes)];
  model.rate = std::max((total - right) / (total + kSureSamples), kLeastRate);
  const NoiseModel plain(classes, model.rate);
  for (int64_t c = 0; c < classes; ++c) {
    double sum = 0;
    for (int64_t g = 0; g < classes; ++g) {
      auto& entry = model.matrix[cell(c, g, classes)];
      entry = joint[cell(c, g, classes)] + model.pull * plain.probability(c, g);
      sum += entry;
    }
    for (int64_t g = 0; g < classes; ++g) model.matrix[cell(c, g, classes)] /= sum;
  }
}

void fit_matrix(NoiseModel& model, const ScoredLabels& samples) {
  const auto probabilities = all_class_probabilities(samples, model.sharpness);
  for (int step = 0; step < kStepsOfT; ++step) {
    improve_matrix(model, expected_joint(model, samples, probabilities));
  }
}

/// Every second sample of each class, from number `first` on.
ScoredLabels half_of(const ScoredLabels& samples, size_t first) {
  auto half = samples;
  for (auto& members : half.members) {
    std::vector<int64_t> kept;
    for (size_t m = first; m < members.size(); m += 2) kept.push_back(members[m]);
    members = std::move(kept);
  }
  return half;
}

/// The pull with which T of one half fits the labels of the other best.
void choose_pull(NoiseModel& model, const ScoredLabels& samples) {
  const std::array halves = {half_of(samples, 0), half_of(samples, 1)};
  double least = std::numeric_limits<double>::infinity();
  for (const double pull : kPulls) {
    double sum = 0;
    for (size_t h = 0; h < halves.size(); ++h) {
      auto half_model = model;
      half_model.pull = pull;
      for (int pass = 0; pass < kPasses; ++pass) fit_matrix(half_model, halves[h]);
      sum += misfit(half_model, halves[1 - h], model.sharpness);
    }
    if (sum < least) {
      least = sum;
      model.pull = pull;
    }
  }
}

}  // namespace

NoiseModel::NoiseModel(int64_t num_classes, double rate_)
    : classes(num_classes),
      matrix(cell(num_classes, 0, num_classes), rate_ / static_cast<double>(num_classes - 1)),
      rate(rate_) {
  for (int64_t c = 0; c < classes; ++c) matrix[cell(c, c, classes)] = 1 - rate;
}

ScoredLabels::ScoredLabels(const std::vector<float>& scores_, const std::vector<int64_t>& labels_,
                           int64_t num_classes)
    : scores(scores_),
      labels(labels_),
      classes(num_classes),
      members(static_cast<size_t>(num_classes)) {
  for (int64_t i = 0; i < size(); ++i) {
    members[static_cast<size_t>(labels[static_cast<size_t>(i)])].push_back(i);
  }
}

void improve_noise_model(NoiseModel& model, const ScoredLabels& samples) {
  improve_sharpness(model, samples);
  choose_pull(model, samples);
  for (int pass = 0; pass < kPasses; ++pass) {
    fit_matrix(model, samples);
    improve_sharpness(model, samples);
  }
}

std::vector<float> true_class_probabilities(const NoiseModel& model, const ScoredLabels& samples) {
  auto probabilities = all_class_probabilities(samples, model.sharpness);
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < samples.size(); ++i) {
    float* p = probabilities.data() + cell(i, 0, model.classes);
    const int64_t given = samples.labels[static_cast<size_t>(i)];
    double sum = 0;
    for (int64_t c = 0; c < model.classes; ++c) {
      p[c] = static_cast<float>(p[c] * model.probability(c, given));
      sum += p[c];
    }
    for (int64_t c = 0; c < model.classes; ++c) p[c] = static_cast<float>(p[c] / sum);
  }
  return probabilities;
}

std::vector<double> observed_noise_matrix(const NoiseModel& model, const ScoredLabels& samples) {
  auto joint = expected_joint(model, samples, all_class_probabilities(samples, model.sharpness));
  for (int64_t c = 0; c < model.classes; ++c) {
    double* row = joint.data() + cell(c, 0, model.classes);
    const double sum = std::accumulate(row, row + model.classes, 0.0);
    for (int64_t g = 0; g < model.classes; ++g) {
      row[g] = sum > 0 ? row[g] / sum : double(g == c);
    }
  }
  return joint;
}

}  // namespace projnce
