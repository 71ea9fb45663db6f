#include "projnce/eval/audit/logistic_regression.h"

#include <ATen/Parallel.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "projnce/eval/lbfgs.h"

namespace projnce::eval {

namespace {

// Rows are processed in chunks whose sums are added in order, and the product of one chunk runs on
// one thread, so the result does not depend on the number of threads.
constexpr int64_t kChunksPerFold = 16;
constexpr int64_t kMinRowsPerChunk = 128;
constexpr double kTolerance = 3e-6;  // relative gain of a step below which the fit stops

std::vector<RowRange> chunks_of(const RowRange& fold) {
  const int64_t count = fold.end - fold.begin;
  const int64_t chunks = std::clamp<int64_t>(count / kMinRowsPerChunk, 1, kChunksPerFold);
  std::vector<RowRange> ranges;
  for (int64_t c = 0; c < chunks; ++c) {
    ranges.push_back({fold.begin + count * c / chunks, fold.begin + count * (c + 1) / chunks});
  }
  return ranges;
}

/// Parameters [C, D + 1] as float weights [C, D] and biases [C].
struct LinearLayer {
  LinearLayer(const std::vector<double>& parameters, int64_t classes, int64_t dim) {
    const auto all =
        torch::from_blob(const_cast<double*>(parameters.data()), {classes, dim + 1}, torch::kDouble)
            .to(torch::kFloat32);
    weights = all.narrow(1, 0, dim).contiguous();
    biases = all.select(1, dim).contiguous();
  }

  torch::Tensor logits(const torch::Tensor& rows) const {
    return torch::addmm(biases, rows, weights.t());
  }

  torch::Tensor weights;
  torch::Tensor biases;
};

/// The objective of one fold and its gradient, both divided by the number of rows.
class FoldObjective {
 public:
  FoldObjective(const FoldData& data, size_t left_out, double weight_decay,
                const NoiseModel* noise);
  double operator()(const std::vector<double>& parameters, std::vector<double>& gradient);

 private:
  double add_chunk(size_t chunk, const LinearLayer& layer);

  const FoldData& data_;
  double weight_decay_;
  torch::Tensor labels_;   // [N]
  torch::Tensor columns_;  // [C, C], T transposed; undefined if T is the identity
  std::vector<RowRange> chunks_;
  int64_t count_ = 0;
  torch::Tensor sums_;  // [chunks, C, D + 1]: gradient contribution of each chunk
};

FoldObjective::FoldObjective(const FoldData& data, size_t left_out, double weight_decay,
                             const NoiseModel* noise)
    : data_(data),
      weight_decay_(weight_decay),
      labels_(
          torch::from_blob(const_cast<int64_t*>(data.labels.data()), {data.size()}, torch::kLong)) {
  for (size_t f = 0; f < data.folds.size(); ++f) {
    if (f == left_out) continue;
    const auto ranges = chunks_of(data.folds[f]);
    chunks_.insert(chunks_.end(), ranges.begin(), ranges.end());
    count_ += data.folds[f].end - data.folds[f].begin;
  }
  // At least two chunks: a single one would run on this thread, and its products on several.
  if (chunks_.size() == 1) {
    const auto whole = chunks_[0];
    const int64_t middle = (whole.begin + whole.end) / 2;
    chunks_ = {{whole.begin, middle}, {middle, whole.end}};
  }
  sums_ = torch::empty({int64_t(chunks_.size()), data.classes(), data.dim() + 1});
  if (noise) {
    columns_ = torch::tensor(noise->matrix, torch::kDouble)
                   .view({data.classes(), data.classes()})
                   .t()
                   .to(torch::kFloat32)
                   .contiguous();
  }
}

double FoldObjective::add_chunk(size_t chunk, const LinearLayer& layer) {
  const torch::NoGradGuard no_gradient;
  const auto [begin, end] = chunks_[chunk];
  const auto rows = data_.rows.narrow(0, begin, end - begin);
  const auto labels = labels_.narrow(0, begin, end - begin);
  auto residual = layer.logits(rows).softmax(1);  // [m, C]
  torch::Tensor likelihood;                       // [m]
  if (columns_.defined()) {
    const auto explained = residual * columns_.index_select(0, labels);
    likelihood = explained.sum(1).clamp_min(1e-30);
    residual.sub_(explained / likelihood.unsqueeze(1));
  } else {
    const auto index = labels.unsqueeze(1);
    likelihood = residual.gather(1, index).squeeze(1).clamp_min(1e-30);
    residual.scatter_add_(1, index, torch::full({end - begin, 1}, -1.0F));
  }
  auto sums = sums_[static_cast<int64_t>(chunk)];
  sums.narrow(1, 0, data_.dim()).copy_(residual.t().mm(rows));
  sums.select(1, data_.dim()).copy_(residual.sum(0));
  return -likelihood.to(torch::kDouble).log().sum().item<double>();
}

double FoldObjective::operator()(const std::vector<double>& parameters,
                                 std::vector<double>& gradient) {
  const LinearLayer layer(parameters, data_.classes(), data_.dim());
  std::vector<double> losses(chunks_.size());
  at::parallel_for(0, int64_t(chunks_.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      losses[static_cast<size_t>(c)] = add_chunk(static_cast<size_t>(c), layer);
    }
  });
  double loss = 0;
  for (const double part : losses) loss += part;
  const float* sums = sums_.data_ptr<float>();
  const size_t size = parameters.size();
  const auto width = static_cast<size_t>(data_.dim() + 1);
  for (size_t k = 0; k < size; ++k) {
    const double decayed = k % width == width - 1 ? 0 : weight_decay_ * parameters[k];
    loss += decayed * parameters[k] / 2;
    double sum = decayed;
    for (size_t chunk = 0; chunk < chunks_.size(); ++chunk) sum += sums[chunk * size + k];
    gradient[k] = sum / static_cast<double>(count_);
  }
  return loss / static_cast<double>(count_);
}

}  // namespace

CrossValidatedRegression::CrossValidatedRegression(const FoldData& data) : data_(&data) {
  const auto width = static_cast<size_t>(data.dim() + 1);
  for (const auto& fold : data.folds) {
    auto counts = data.class_counts;
    for (int64_t i = fold.begin; i < fold.end; ++i) {
      --counts[static_cast<size_t>(data.labels[static_cast<size_t>(i)])];
    }
    std::vector<double> parameters(static_cast<size_t>(data.classes()) * width, 0.0);
    for (size_t c = 0; c < counts.size(); ++c) {
      parameters[c * width + width - 1] = std::log(static_cast<double>(counts[c]) + 0.5);
    }
    parameters_.push_back(std::move(parameters));
  }
}

void CrossValidatedRegression::fit(double weight_decay, const NoiseModel* noise, int max_steps) {
  for (size_t fold = 0; fold < parameters_.size(); ++fold) {
    FoldObjective objective(*data_, fold, weight_decay, noise);
    minimize_lbfgs(
        [&objective](const auto& point, auto& gradient) { return objective(point, gradient); },
        parameters_[fold], {.max_steps = max_steps, .tolerance = kTolerance});
  }
}

std::vector<float> CrossValidatedRegression::held_out_logits() const {
  std::vector<float> logits(static_cast<size_t>(data_->size() * data_->classes()));
  const auto all = torch::from_blob(logits.data(), {data_->size(), data_->classes()});
  for (size_t fold = 0; fold < parameters_.size(); ++fold) {
    const LinearLayer layer(parameters_[fold], data_->classes(), data_->dim());
    auto chunks = chunks_of(data_->folds[fold]);
    chunks.push_back({0, 0});  // at least two chunks, as above
    at::parallel_for(0, int64_t(chunks.size()), 1, [&](int64_t begin, int64_t end) {
      const torch::NoGradGuard no_gradient;
      for (int64_t c = begin; c < end; ++c) {
        const auto& chunk = chunks[static_cast<size_t>(c)];
        const int64_t count = chunk.end - chunk.begin;
        if (count == 0) continue;
        all.narrow(0, chunk.begin, count)
            .copy_(layer.logits(data_->rows.narrow(0, chunk.begin, count)));
      }
    });
  }
  return logits;
}

}  // namespace projnce::eval
