#include "projnce/distributed/gradient_bucket_reducer.h"

#include <torch/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <optional>
#include <utility>

namespace projnce::distributed {

struct GradientSlot {
  torch::Tensor parameter;
  torch::Tensor view;  ///< slice of the bucket that holds this gradient
  bool ready = false;
};

/// Gradients of consecutive parameters in one flat tensor.
struct GradientBucket {
  torch::Tensor flat;
  std::vector<GradientSlot> slots;
  size_t missing = 0;
  std::optional<PendingAllReduce> pending;
};

namespace {

using torch::autograd::variable_list;

/// A shared_ptr or an intrusive_ptr to a node, depending on the version of torch.
using AccumulatorPtr =
    decltype(torch::autograd::impl::grad_accumulator(std::declval<const torch::Tensor&>()));

void allocate_bucket(GradientBucket& bucket) {
  int64_t elements = 0;
  for (const auto& slot : bucket.slots) elements += slot.parameter.numel();
  bucket.flat =
      torch::zeros({elements}, bucket.slots.front().parameter.options().requires_grad(false));
  int64_t offset = 0;
  for (auto& slot : bucket.slots) {
    const auto size = slot.parameter.numel();
    slot.view = bucket.flat.narrow(0, offset, size).view(slot.parameter.sizes());
    offset += size;
  }
}

/// Builds buckets in reverse parameter order, roughly the order in which gradients become ready.
std::vector<GradientBucket> fill_buckets(const std::vector<torch::Tensor>& parameters,
                                         int64_t bucket_bytes) {
  std::vector<GradientBucket> buckets;
  int64_t bytes = 0;
  for (size_t i = parameters.size(); i-- > 0;) {
    const auto& parameter = parameters[i];
    const auto size = parameter.numel() * static_cast<int64_t>(parameter.element_size());
    if (buckets.empty() || bytes + size > bucket_bytes ||
        buckets.back().slots.front().parameter.scalar_type() != parameter.scalar_type()) {
      buckets.emplace_back();
      bytes = 0;
    }
    buckets.back().slots.push_back({.parameter = parameter});
    bytes += size;
  }
  for (auto& bucket : buckets) allocate_bucket(bucket);
  return buckets;
}

void fill_slot(GradientBucket& bucket, GradientSlot& slot) {
  const torch::NoGradGuard no_grad;
  const auto& gradient = slot.parameter.grad();
  gradient.defined() ? slot.view.copy_(gradient) : slot.view.zero_();
  slot.ready = true;
  --bucket.missing;
}

/// Returns the number of ranks that have a gradient for each parameter, in bucket order.
torch::Tensor count_gradients(const std::vector<GradientBucket>& buckets, ProcessGroup& ranks) {
  std::vector<float> present;
  for (const auto& bucket : buckets) {
    for (const auto& slot : bucket.slots) present.push_back(slot.parameter.grad().defined());
  }
  auto counts = torch::tensor(present);
  ranks.all_reduce(counts, "summing gradients");
  return counts;
}

void copy_sums_to_gradients(GradientBucket& bucket, const float* ranks_with_gradient) {
  const torch::NoGradGuard no_grad;
  for (auto& slot : bucket.slots) {
    if (*ranks_with_gradient++ == 0) continue;
    auto& gradient = slot.parameter.mutable_grad();
    if (!gradient.defined()) gradient = torch::empty_like(slot.parameter);
    gradient.copy_(slot.view);
  }
}

}  // namespace

struct GradientBucketReducer::Buckets {
  ProcessGroupPtr ranks;
  std::vector<GradientBucket> buckets;
  size_t next = 0;        ///< first bucket not yet sent
  bool prepared = false;  ///< between prepare_for_backward() and finish()
  /// Keeps the accumulators alive: LibTorch frees an unreferenced accumulator and its hook.
  std::vector<AccumulatorPtr> accumulators;

  void on_gradient(size_t bucket, size_t slot) {
    if (!prepared) return;
    TORCH_CHECK(!buckets[bucket].slots[slot].ready,
                "GradientBucketReducer: second backward pass after prepare_for_backward()");
    fill_slot(buckets[bucket], buckets[bucket].slots[slot]);
    send_full_buckets();
  }

  /// Sends buckets strictly in index order, which is the same on all ranks, regardless of which one
  /// is full first.
  void send_full_buckets() {
    for (; next < buckets.size() && buckets[next].missing == 0; ++next) {
      buckets[next].pending = ranks->start_all_reduce(buckets[next].flat);
    }
  }
};

GradientBucketReducer::GradientBucketReducer(ProcessGroupPtr ranks,
                                             std::vector<torch::Tensor> parameters,
                                             int64_t bucket_bytes) {
  if (ranks->size() == 1) return;
  buckets_ = std::make_shared<Buckets>();
  buckets_->ranks = std::move(ranks);
  buckets_->buckets = fill_buckets(parameters, bucket_bytes);
  // The graph and its hooks may outlive this object; they do nothing then.
  const std::weak_ptr<Buckets> weak = buckets_;
  for (size_t b = 0; b < buckets_->buckets.size(); ++b) {
    for (size_t s = 0; s < buckets_->buckets[b].slots.size(); ++s) {
      const auto& parameter = buckets_->buckets[b].slots[s].parameter;
      auto accumulator = torch::autograd::impl::grad_accumulator(parameter);
      accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
          [weak, b, s](const variable_list& outputs, const variable_list&) {
            if (const auto buckets = weak.lock()) buckets->on_gradient(b, s);
            return outputs;
          }));
      buckets_->accumulators.push_back(std::move(accumulator));
    }
  }
}

GradientBucketReducer::~GradientBucketReducer() = default;

void GradientBucketReducer::prepare_for_backward() {
  if (!buckets_) return;
  for (auto& bucket : buckets_->buckets) {
    bucket.missing = bucket.slots.size();
    for (auto& slot : bucket.slots) slot.ready = false;
  }
  buckets_->next = 0;
  buckets_->prepared = true;
}

void GradientBucketReducer::finish() {
  if (!buckets_) return;
  TORCH_CHECK(buckets_->prepared, "GradientBucketReducer: finish() without prepare_for_backward()");
  for (auto& bucket : buckets_->buckets) {
    for (auto& slot : bucket.slots) {
      if (!slot.ready) fill_slot(bucket, slot);
    }
  }
  buckets_->send_full_buckets();
  buckets_->prepared = false;
  const auto counts = count_gradients(buckets_->buckets, *buckets_->ranks);
  const auto* count = counts.data_ptr<float>();
  for (auto& bucket : buckets_->buckets) {
    bucket.pending->wait();
    copy_sums_to_gradients(bucket, count);
    count += bucket.slots.size();
  }
}

}  // namespace projnce::distributed
