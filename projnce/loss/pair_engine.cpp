#include "projnce/loss/pair_engine.h"

#include <torch/utils.h>

#include <atomic>

#include "projnce/core/error.h"
#include "projnce/kernel/pair_tiles.h"

namespace projnce::loss {

namespace {

using torch::autograd::AutogradContext;

std::atomic<PairEngine>& cpu_engine() {
  static std::atomic<PairEngine> engine{PairEngine::kTiles};
  return engine;
}

template <class T>
torch::Tensor padded_zeros(const torch::Tensor& rows) {
  return torch::zeros({rows.size(0), kernel::gradient_stride<T>(rows.size(1))}, rows.options());
}

}  // namespace

PairEngine pair_engine(const torch::Tensor& rows) {
  return rows.device().is_cpu() ? cpu_engine().load() : PairEngine::kChunks;
}

ForcedPairEngine::ForcedPairEngine(PairEngine engine) : before_(cpu_engine().exchange(engine)) {}

ForcedPairEngine::~ForcedPairEngine() {
  cpu_engine().store(before_);
}

PairOperands contiguous(PairOperands pairs) {
  pairs.anchors = pairs.anchors.contiguous();
  pairs.candidates = pairs.symmetric ? pairs.anchors : pairs.candidates.contiguous();
  if (pairs.bias.defined()) pairs.bias = pairs.bias.to(pairs.anchors.scalar_type()).contiguous();
  if (pairs.split()) {
    pairs.anchor_class = pairs.anchor_class.contiguous();
    pairs.candidate_class = pairs.candidate_class.contiguous();
  }
  return pairs;
}

void save_pairs(AutogradContext* ctx, const PairOperands& pairs, const torch::Tensor& last) {
  ctx->save_for_backward({pairs.anchors, pairs.candidates, pairs.anchor_class,
                          pairs.candidate_class, pairs.bias, last});
  ctx->saved_data["scale"] = pairs.scale;
  ctx->saved_data["self"] = pairs.self ? c10::IValue(*pairs.self) : c10::IValue();
  ctx->saved_data["symmetric"] = pairs.symmetric;
  ctx->saved_data["tiles"] = pair_engine(pairs.anchors) == PairEngine::kTiles;
}

SavedPairs load_pairs(AutogradContext* ctx) {
  if (torch::GradMode::is_enabled()) fail("sums over pairs have no second derivative");
  const auto saved = ctx->get_saved_variables();
  auto& data = ctx->saved_data;
  PairOperands pairs{.anchors = saved[0],
                     .candidates = saved[1],
                     .scale = data["scale"].toDouble(),
                     .anchor_class = saved[2],
                     .candidate_class = saved[3],
                     .bias = saved[4],
                     .symmetric = data["symmetric"].toBool()};
  if (!data["self"].isNone()) pairs.self = data["self"].toInt();
  return {pairs, saved[5], data["tiles"].toBool() ? PairEngine::kTiles : PairEngine::kChunks};
}

template <class T>
kernel::PairRows<T> kernel_rows(const PairOperands& pairs) {
  kernel::PairRows<T> rows{.anchors = pairs.anchors.data_ptr<T>(),
                           .num_anchors = pairs.num_anchors(),
                           .candidates = pairs.candidates.data_ptr<T>(),
                           .num_candidates = pairs.num_candidates(),
                           .dim = pairs.anchors.size(1),
                           .scale = pairs.scale,
                           .self = pairs.self.value_or(kernel::PairRows<T>::kNoSelf),
                           .symmetric = pairs.symmetric};
  if (pairs.split()) {
    rows.anchor_class = pairs.anchor_class.data_ptr<int64_t>();
    rows.candidate_class = pairs.candidate_class.data_ptr<int64_t>();
  }
  if (pairs.bias.defined()) rows.bias = pairs.bias.data_ptr<T>();
  return rows;
}

template <class T>
PairGradientMemory<T>::PairGradientMemory(const PairOperands& pairs)
    : anchors_(padded_zeros<T>(pairs.anchors)) {
  if (!pairs.symmetric) candidates_ = padded_zeros<T>(pairs.candidates);
}

template <class T>
kernel::GradientRows<T> PairGradientMemory<T>::rows() const {
  return {anchors_.data_ptr<T>(), candidates_.defined() ? candidates_.data_ptr<T>() : nullptr};
}

template <class T>
PairGradients PairGradientMemory<T>::tensors(int64_t dim) const {
  return {anchors_.narrow(1, 0, dim),
          candidates_.defined() ? candidates_.narrow(1, 0, dim) : torch::Tensor()};
}

template kernel::PairRows<float> kernel_rows(const PairOperands&);
template kernel::PairRows<double> kernel_rows(const PairOperands&);
template class PairGradientMemory<float>;
template class PairGradientMemory<double>;

}  // namespace projnce::loss
