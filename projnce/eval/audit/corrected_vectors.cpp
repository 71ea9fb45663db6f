#include "projnce/eval/audit/corrected_vectors.h"

#include <algorithm>
#include <cmath>

#include "projnce/eval/lbfgs.h"

namespace projnce {

namespace {

constexpr double kDecay = 0.2;
constexpr int64_t kMaxChunks = 64;  // of rows; their sums are added up in order
constexpr int64_t kMinRowsOfChunk = 256;

/// Classes whose scores are taken together: that many sums in flight hide the time of an addition.
constexpr int64_t kTogether = 4;

/// w.z + b of kTogether classes, whose rows are `width` apart; the offset is behind the vector.
void score_together(const float* weights, int64_t width, const float* row, float* out) {
  const int64_t dim = width - 1;
  const float* second = weights + width;
  const float* third = second + width;
  const float* fourth = third + width;
  float a = 0;
  float b = 0;
  float c = 0;
  float e = 0;
#pragma omp simd reduction(+ : a, b, c, e)
  for (int64_t d = 0; d < dim; ++d) {
    a += weights[d] * row[d];
    b += second[d] * row[d];
    c += third[d] * row[d];
    e += fourth[d] * row[d];
  }
  out[0] = a + weights[dim];
  out[1] = b + second[dim];
  out[2] = c + third[dim];
  out[3] = e + fourth[dim];
}

int64_t whole_groups(int64_t classes) {
  return (classes + kTogether - 1) / kTogether * kTogether;
}

/// Scores -> what the loss pulls them by: softmax less its part that agrees with the label.
/// `column` is T[., g]. Returns the row's loss.
double pull_scores(float* scores, const float* column, int64_t classes) {
  const float largest = *std::max_element(scores, scores + classes);
  float sum = 0;
  float agreeing = 0;
  for (int64_t c = 0; c < classes; ++c) {
    scores[c] = std::exp(scores[c] - largest);
    sum += scores[c];
    agreeing += scores[c] * column[c];
  }
  agreeing = std::max(agreeing, 1e-30F);
  for (int64_t c = 0; c < classes; ++c) {
    scores[c] = scores[c] / sum - scores[c] * column[c] / agreeing;
  }
  return std::log(double(sum)) - std::log(double(agreeing));
}

/// The loss of learn_corrected_vectors, per row, and its gradient.
class CorrectedLoss {
 public:
  CorrectedLoss(const LabelledRows& data, const NoiseModel& noise);
  double operator()(const std::vector<double>& parameters, std::vector<double>& gradient);

 private:
  double add_chunk(int64_t chunk, float* sums) const;

  const LabelledRows& data_;
  int64_t width_;  // D + 1
  int64_t chunks_;
  std::vector<float> columns_;  // T transposed: [g, c]
  std::vector<float> weights_;  // [C, D + 1], the parameters in single precision; zeros behind
  std::vector<float> sums_;     // [chunks, C, D + 1]
};

CorrectedLoss::CorrectedLoss(const LabelledRows& data, const NoiseModel& noise)
    : data_(data),
      width_(data.dim + 1),
      chunks_(std::clamp<int64_t>(int64_t(data.used.size()) / kMinRowsOfChunk, 1, kMaxChunks)),
      columns_(static_cast<size_t>(data.classes * data.classes)),
      weights_(static_cast<size_t>(whole_groups(data.classes) * width_)),
      sums_(static_cast<size_t>(chunks_ * data.classes * width_)) {
  for (int64_t g = 0; g < data.classes; ++g) {
    for (int64_t c = 0; c < data.classes; ++c) {
      columns_[static_cast<size_t>(g * data.classes + c)] =
          static_cast<float>(noise.probability(c, g));
    }
  }
}

double CorrectedLoss::add_chunk(int64_t chunk, float* sums) const {
  const auto count = static_cast<int64_t>(data_.used.size());
  std::vector<float> scores(static_cast<size_t>(whole_groups(data_.classes)));
  double loss = 0;
  for (int64_t u = count * chunk / chunks_; u < count * (chunk + 1) / chunks_; ++u) {
    const int64_t i = data_.used[static_cast<size_t>(u)];
    const float* row = data_.rows + i * data_.dim;
    for (int64_t c = 0; c < data_.classes; c += kTogether) {
      score_together(weights_.data() + c * width_, width_, row, scores.data() + c);
    }
    loss += pull_scores(scores.data(), columns_.data() + data_.labels[i] * data_.classes,
                        data_.classes);
    for (int64_t c = 0; c < data_.classes; ++c) {
      const float pull = scores[static_cast<size_t>(c)];
      float* sum = sums + c * width_;
      for (int64_t d = 0; d < data_.dim; ++d) sum[d] += pull * row[d];
      sum[data_.dim] += pull;
    }
  }
  return loss;
}

double CorrectedLoss::operator()(const std::vector<double>& parameters,
                                 std::vector<double>& gradient) {
  std::copy(parameters.begin(), parameters.end(), weights_.begin());
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  const size_t size = parameters.size();
  std::vector<double> losses(static_cast<size_t>(chunks_));
#pragma omp parallel for schedule(static)
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
    losses[static_cast<size_t>(chunk)] =
        add_chunk(chunk, sums_.data() + static_cast<size_t>(chunk) * size);
  }
  const auto count = static_cast<double>(data_.used.size());
  double loss = 0;
  for (const double part : losses) loss += part;
  for (size_t k = 0; k < size; ++k) {
    const bool offset = static_cast<int64_t>(k) % width_ == data_.dim;
    const double decayed = offset ? 0 : kDecay * parameters[k];
    loss += decayed * parameters[k] / 2;
    double sum = decayed;
    for (size_t chunk = 0; chunk < losses.size(); ++chunk) sum += sums_[chunk * size + k];
    gradient[k] = sum / count;
  }
  return loss / count;
}

}  // namespace

void ClassScorer::score(const float* row, float* out) const {
  for (int64_t c = 0; c < classes; ++c) {
    const double* weight = parameters.data() + c * (dim + 1);
    double sum = weight[dim];
    for (int64_t d = 0; d < dim; ++d) sum += weight[d] * row[d];
    out[c] = static_cast<float>(sum);
  }
}

void learn_corrected_vectors(ClassScorer& scorer, const LabelledRows& data, const NoiseModel& noise,
                             int max_steps) {
  CorrectedLoss loss(data, noise);
  minimize_lbfgs([&loss](const auto& point, auto& gradient) { return loss(point, gradient); },
                 scorer.parameters, {.max_steps = max_steps, .tolerance = 3e-6});
}

}  // namespace projnce
