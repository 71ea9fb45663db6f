#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "projnce/distributed/process_group.h"

namespace projnce::distributed {

/// Sums the gradients of parameters over ranks. Gradients travel in buckets, which are sent as soon
/// as the backward pass has filled them, while it goes on with the layers before. Alone it does
/// nothing.
///
///   gradients.prepare_for_backward();     // before the backward pass that completes the gradients
///   loss.backward();
///   gradients.finish();  // every rank has the sums in .grad()
class GradientBucketReducer {
 public:
  static constexpr int64_t kBucketBytes = int64_t{8} << 20;

  /// Parameters in the order in which the forward pass uses them; those whose gradients are there
  /// before the armed pass come first. REQUIRES: the order is the same on all ranks.
  GradientBucketReducer(ProcessGroupPtr ranks, std::vector<torch::Tensor> parameters,
                        int64_t bucket_bytes = kBucketBytes);
  ~GradientBucketReducer();

  /// From now on a gradient that becomes ready is final: several backward passes may add to the
  /// gradients, of which the last one is armed.
  void prepare_for_backward();

  /// Sends the rest and waits for everything. A parameter without gradient counts as zeros, and
  /// keeps none where no rank has one. Leaves the memory formats of gradients as they are.
  void finish();

 private:
  struct Buckets;
  std::shared_ptr<Buckets> buckets_;  ///< null for a process alone
};

}  // namespace projnce::distributed
