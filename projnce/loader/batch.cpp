#include "projnce/loader/batch.h"

#include <torch/torch.h>

namespace projnce {

float* Batch::view_data(int64_t view, int64_t sample) const {
  const int64_t row = view * size() + sample;
  return images.data_ptr<float>() + row * images.size(1) * images.size(2) * images.size(3);
}

Batch make_batch(const Dataset& dataset, std::span<const int64_t> indices, int64_t views,
                 const ViewFormat& format) {
  const auto count = static_cast<int64_t>(indices.size());
  Batch batch;
  batch.views = views;
  batch.images = torch::empty(
      {views * count, format.channels, format.image_size, format.image_size},
      torch::TensorOptions(torch::kFloat32).memory_format(torch::MemoryFormat::ChannelsLast));
  batch.labels = torch::empty({count}, torch::kInt64);
  batch.indices = torch::empty({count}, torch::kInt64);
  auto* labels = batch.labels.data_ptr<int64_t>();
  auto* places = batch.indices.data_ptr<int64_t>();
  for (const int64_t index : indices) {
    *labels++ = dataset.label(index);
    *places++ = index;
  }
  return batch;
}

}  // namespace projnce
