#include "projnce/pipeline/batch_names.h"

#include <torch/torch.h>

namespace projnce {

std::vector<std::string> batch_names(const Batch& batch, const Dataset& samples) {
  std::vector<std::string> broken;
  std::vector<std::string> others;
  const auto finite =
      batch.images.isfinite().flatten(1).all(1).view({batch.views, batch.size()}).all(0);
  for (int64_t i = 0; i < batch.size(); ++i) {
    const auto name = samples.sample_name(batch.indices[i].item<int64_t>());
    const bool is_finite = finite[i].item<bool>();
    (is_finite ? others : broken).push_back(is_finite ? name : name + " (not finite itself)");
  }
  broken.insert(broken.end(), others.begin(), others.end());
  return broken;
}

}  // namespace projnce
