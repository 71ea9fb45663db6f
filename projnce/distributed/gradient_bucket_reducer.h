#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "projnce/distributed/process_group.h"

namespace projnce::distributed {

/// Sums parameter gradients over ranks. Gradients are grouped into buckets; each bucket is sent as
/// soon as the backward pass has filled it, overlapping communication with the rest of the pass.
/// With one process it does nothing.
///
///   gradients.prepare_for_backward();  // before the backward pass that completes the gradients
///   loss.backward();
///   gradients.finish();  // .grad() now holds the sum on every rank
class GradientBucketReducer {
 public:
  static constexpr int64_t kBucketBytes = int64_t{8} << 20;

  /// `parameters` are in the order in which the forward pass uses them, preceded by those whose
  /// gradients exist before the prepared pass. REQUIRES: the order is the same on all ranks.
  GradientBucketReducer(ProcessGroupPtr ranks, std::vector<torch::Tensor> parameters,
                        int64_t bucket_bytes = kBucketBytes);
  ~GradientBucketReducer();

  /// Marks the next backward pass as the last: each gradient it produces is final and may be sent.
  /// If several backward passes accumulate into the gradients, call this before the last one.
  void prepare_for_backward();

  /// Sends the remaining buckets and waits for all of them. A missing gradient counts as zeros; a
  /// parameter without gradient on any rank keeps none. Preserves the gradients' memory formats.
  void finish();

 private:
  struct Buckets;
  std::shared_ptr<Buckets> buckets_;  ///< null with a single process
};

}  // namespace projnce::distributed
