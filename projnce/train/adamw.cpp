#include "projnce/train/adamw.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "projnce/train/adamw_loops.h"

namespace projnce::train {

namespace {

constexpr int64_t kGrain = 1 << 15;  // minimum number of elements per thread
constexpr int64_t kChunk = 1 << 14;  // elements whose squares are summed as one unit of work

/// Returns true if both tensors enumerate their elements in the same memory order. Strides of
/// dimensions of size 1 are ignored.
bool same_layout(const torch::Tensor& a, const torch::Tensor& b) {
  for (int64_t i = 0; i < a.dim(); ++i) {
    if (a.size(i) != 1 && a.stride(i) != b.stride(i)) return false;
  }
  return true;
}

/// Returns the gradient in the parameter's memory layout, so that both can be read as flat arrays.
torch::Tensor matching_gradient(const torch::Tensor& parameter) {
  const auto gradient = parameter.grad();
  if (same_layout(gradient, parameter)) return gradient;
  return torch::empty_like(parameter).copy_(gradient);
}

/// A parameter's range in the index space of all parameters concatenated.
struct FlatSlot {
  int64_t first;
  int64_t count;
  torch::Tensor gradient;  // keeps the copy of matching_gradient alive
  AdamWArrays arrays;
};

/// A contiguous chunk of a gradient.
struct GradientChunk {
  const float* values;
  int64_t count;
};

/// Updates elements begin .. end - 1 of the index space.
void update_span(const AdamWFactors& factors, const std::vector<FlatSlot>& slots, int64_t begin,
                 int64_t end) {
  for (const auto& slot : slots) {
    const int64_t from = std::max(begin, slot.first);
    const int64_t to = std::min(end, slot.first + slot.count);
    if (from < to) adamw_range(factors, slot.arrays.from(from - slot.first), to - from);
  }
}

}  // namespace

AdamW::AdamW(NamedParameters parameters, const AdamWOptions& options) : options_(options) {
  torch::Device device = torch::kCPU;
  for (auto& [name, parameter] : parameters) {
    if (slots_.empty()) device = parameter.device();
    TORCH_CHECK(parameter.scalar_type() == torch::kFloat && parameter.device() == device &&
                    parameter.is_non_overlapping_and_dense(),
                "AdamW: parameter ", name, " is not a dense float tensor on ", device);
    const auto plain = parameter.detach();
    slots_.push_back({name, parameter, torch::zeros_like(plain), torch::zeros_like(plain)});
  }
  device_steps_ = torch::zeros({}, torch::TensorOptions(torch::kDouble).device(device));
}

void AdamW::set_steps(int64_t steps) {
  steps_ = steps;
  device_steps_.fill_(static_cast<double>(steps));
}

void AdamW::step(double learning_rate) {
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const AdamWFactors factors{
      .keep = static_cast<float>(1 - learning_rate * options_.weight_decay),
      .beta1 = static_cast<float>(options_.beta1),
      .rest1 = static_cast<float>(1 - options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .rest2 = static_cast<float>(1 - options_.beta2),
      .step_size = static_cast<float>(learning_rate / (1 - std::pow(options_.beta1, t))),
      .root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t))),
      .epsilon = static_cast<float>(options_.epsilon)};
  std::vector<FlatSlot> flat;
  int64_t total = 0;
  for (auto& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    const auto gradient = matching_gradient(slot.parameter);
    const int64_t count = slot.parameter.numel();
    flat.push_back({total,
                    count,
                    gradient,
                    {slot.parameter.data_ptr<float>(), gradient.data_ptr<float>(),
                     slot.mean.data_ptr<float>(), slot.square.data_ptr<float>()}});
    total += count;
  }
  at::parallel_for(0, total, kGrain,
                   [&](int64_t begin, int64_t end) { update_span(factors, flat, begin, end); });
}

double AdamW::gradient_norm() const {
  std::vector<GradientChunk> chunks;
  std::vector<torch::Tensor> gradients;  // keeps copies alive
  for (const auto& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    gradients.push_back(matching_gradient(slot.parameter));
    const auto* values = gradients.back().data_ptr<float>();
    const int64_t count = slot.parameter.numel();
    for (int64_t first = 0; first < count; first += kChunk) {
      chunks.push_back({values + first, std::min(kChunk, count - first)});
    }
  }
  std::vector<double> squares(chunks.size());
  at::parallel_for(0, static_cast<int64_t>(chunks.size()), kGrain / kChunk,
                   [&](int64_t begin, int64_t end) {
                     for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
                       squares[i] = sum_of_squares(chunks[i].values, chunks[i].count);
                     }
                   });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

void AdamW::zero_grad() {
  for (auto& slot : slots_) slot.parameter.mutable_grad().reset();
}

NamedParameters AdamW::state() const {
  NamedParameters state;
  for (const auto& slot : slots_) {
    state.emplace_back("mean." + slot.name, slot.mean);
    state.emplace_back("square." + slot.name, slot.square);
  }
  return state;
}

}  // namespace projnce::train
