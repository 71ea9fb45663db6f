#include "projnce/loader/batch.h"

#include <torch/types.h>

#include <optional>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"

namespace projnce::loader {

CorruptSampleTracker::CorruptSampleTracker(int64_t samples, Logger logger,
                                           const dataset::CorruptLimit& limit)
    : samples_(samples), logger_(std::move(logger)), limit_(limit) {}

void CorruptSampleTracker::skip(int64_t index, const Error& error) {
  if (error.kind() != ErrorKind::kInput) throw error;
  const std::lock_guard lock(mutex_);
  if (!corrupt_.insert(index).second) return;
  if (logger_) logger_->warn("skipped: {}", error.what());
  const auto count = static_cast<int64_t>(corrupt_.size());
  if (count > limit_.of(samples_) || count == samples_) {
    fail(Hint{"'projnce data verify' lists the corrupt files; --max-corrupt of 'projnce train' "
              "accepts more"},
         count, " of ", counted(samples_, "sample"), " cannot be read, expected ",
         limit_.describe(), ": ", error.what());
  }
}

int64_t CorruptSampleTracker::skipped() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(corrupt_.size());
}

std::vector<int64_t> CorruptSampleTracker::corrupt() const {
  const std::lock_guard lock(mutex_);
  return {corrupt_.begin(), corrupt_.end()};
}

namespace {

std::optional<Sample> decode_or_skip(const dataset::Dataset& dataset, int64_t index,
                                     CorruptSampleTracker* corrupt_samples,
                                     const RequiredSampleRegion& need) {
  try {
    return dataset.decode_region(index,
                                 [&](int height, int width) { return need(index, height, width); });
  } catch (const Error& error) {
    if (corrupt_samples == nullptr) throw;
    corrupt_samples->skip(index, error);
    return std::nullopt;
  }
}

/// Returns the first `kept` of `planned` rows of each view.
torch::Tensor drop_rows(const torch::Tensor& images, int64_t views, int64_t planned, int64_t kept) {
  std::vector<torch::Tensor> parts;
  for (int64_t v = 0; v < views; ++v) parts.push_back(images.narrow(0, v * planned, kept));
  return torch::cat(parts).contiguous(torch::MemoryFormat::ChannelsLast);
}

}  // namespace

Batch make_batch(const dataset::Dataset& dataset, const BatchPlan& plan,
                 CorruptSampleTracker* corrupt_samples, const RequiredSampleRegion& need,
                 const WriteView& write_view) {
  const auto planned = static_cast<int64_t>(plan.indices.size());
  const auto& format = plan.format;
  const auto values = static_cast<int64_t>(format.values());
  Batch batch;
  batch.views = plan.views;
  batch.images = torch::empty(
      {plan.views * planned, format.channels(), format.height(), format.width()},
      torch::TensorOptions(torch::kFloat32).memory_format(torch::MemoryFormat::ChannelsLast));
  std::vector<int64_t> labels;
  std::vector<int64_t> indices;
  for (const int64_t index : plan.indices) {
    const auto sample = decode_or_skip(dataset, index, corrupt_samples, need);
    if (!sample) continue;
    const auto row = static_cast<int64_t>(indices.size());
    for (int64_t v = 0; v < plan.views; ++v) {
      auto* out = batch.images.data_ptr<float>() + (v * planned + row) * values;
      write_view(*sample, index, v, out);
    }
    labels.push_back(dataset.label(index));
    indices.push_back(index);
  }
  batch.labels = torch::tensor(labels, torch::kInt64);
  batch.indices = torch::tensor(indices, torch::kInt64);
  if (batch.size() < planned) {
    batch.images = drop_rows(batch.images, plan.views, planned, batch.size());
  }
  return batch;
}

}  // namespace projnce::loader
