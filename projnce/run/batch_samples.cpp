#include "projnce/run/batch_samples.h"

#include <torch/types.h>

namespace projnce::run {

BatchSamples gather_samples(const loader::Batch& batch, distributed::ProcessGroup& ranks) {
  auto finite = torch::ones({batch.size()}, torch::kLong);
  if (batch.images.defined()) {
    const auto rows = batch.images.isfinite().flatten(1).all(1);  // [V * B]
    finite = rows.view({batch.views, batch.size()}).all(0).to(torch::kLong);
  }
  const auto all = ranks.all_gather_rows(torch::stack({batch.indices, finite}, 1),
                                         ranks.all_gather_counts(batch.size()));
  return {all.select(1, 0), all.select(1, 1).to(torch::kBool)};
}

std::vector<std::string> sample_names(const BatchSamples& samples,
                                      const dataset::Dataset& dataset) {
  std::vector<std::string> nonfinite;
  std::vector<std::string> others;
  for (int64_t i = 0; i < samples.indices.size(0); ++i) {
    const auto name = dataset.sample_name(samples.indices[i].item<int64_t>());
    if (samples.is_finite[i].item<bool>()) {
      others.push_back(name);
    } else {
      nonfinite.push_back(name + " (has non-finite values)");
    }
  }
  nonfinite.insert(nonfinite.end(), others.begin(), others.end());
  return nonfinite;
}

}  // namespace projnce::run
