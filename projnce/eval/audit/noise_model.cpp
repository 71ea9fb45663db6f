#include "projnce/eval/audit/noise_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace projnce {

namespace {

constexpr double kCorrectPseudoSamples = 2;  // assumed correct, so that clean data have rate 0
/// A class's own label is its most frequent one by this factor. Without it a class can absorb
/// another one whose samples are then all explained as mistakes.
constexpr double kDiagonalDominance = 1.1;
constexpr double kMinLikelihood = 1e-30;
constexpr int kMaxEmSteps = 30;
constexpr double kMinEmGain = 1e-5;  // per sample; a step of less ends the fit

size_t cell(int64_t row, int64_t column, int64_t classes) {
  return static_cast<size_t>(row * classes + column);
}

/// Column g of T, contiguous.
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
/// labels. Threads take whole classes, so that sums keep their order.
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

/// The rate and the matrix that `joint` implies, with pseudo-samples of uniform noise.
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
      // Underflow of every product: the label alone decides.
      if (!(sum > 0)) p[g] = sum = 1;
      for (int64_t c = 0; c < model.classes; ++c) p[c] /= sum;
    }
  }
}

}  // namespace projnce
