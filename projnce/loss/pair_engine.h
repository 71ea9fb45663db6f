#pragma once

#include <torch/autograd.h>
#include <torch/types.h>

#include <cstdint>

#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/sum_of_transform.h"

namespace projnce::kernel {

template <class T>
struct PairRows;
template <class T>
struct GradientRows;

}  // namespace projnce::kernel

namespace projnce::loss {

// Shared by the autograd functions over pairs; not part of the interface.

/// In the symmetric case `anchors` holds the sum of both roles and `candidates` is undefined.
struct PairGradients {
  torch::Tensor anchors;      // [N, D]
  torch::Tensor candidates;   // [M, D]
  torch::Tensor offset = {};  // [N], of a transform
};

/// The rows of a batch against `vectors` [M, D], by class if `split`.
PairOperands pair_operands(const GroupedBatch& batch, const torch::Tensor& vectors,
                           double temperature, bool split);

/// Stores the operands and one more tensor for backward.
void save_pairs(torch::autograd::AutogradContext* ctx, const PairOperands& pairs,
                const torch::Tensor& last);

struct SavedPairs {
  PairOperands pairs;
  torch::Tensor last;
  PairEngine engine;  // the one that computed forward
};
/// Throws if a second derivative is requested.
SavedPairs load_pairs(torch::autograd::AutogradContext* ctx);

// The engine for any device. Gradients are those of sum(gradient * result).
torch::Tensor chunked_logsumexp(const PairOperands& pairs);
PairGradients chunked_logsumexp_backward(const PairOperands& pairs, const torch::Tensor& result,
                                         const torch::Tensor& gradient);
torch::Tensor chunked_sum_of_transform(const PairOperands& pairs, const Transform& transform,
                                       const torch::Tensor& offset);
PairGradients chunked_sum_of_transform_backward(const PairOperands& pairs,
                                                const Transform& transform,
                                                const torch::Tensor& offset,
                                                const torch::Tensor& gradient);

/// `pairs` in the memory layout that the kernels read.
PairOperands contiguous(PairOperands pairs);

/// The kernels' view of the operands (kernel/pair_tiles.h). T is float or double.
/// REQUIRES: contiguous tensors, which outlive the result.
template <class T>
kernel::PairRows<T> kernel_rows(const PairOperands& pairs);

/// Zeros for the kernels to add to, with padded rows. T is float or double.
template <class T>
class PairGradientMemory {
 public:
  explicit PairGradientMemory(const PairOperands& pairs);

  /// The kernels' view (kernel/pair_tiles.h).
  kernel::GradientRows<T> rows() const;
  /// The gradients without padding.
  PairGradients tensors(int64_t dim) const;

 private:
  torch::Tensor anchors_;
  torch::Tensor candidates_;  // undefined in the symmetric case
};

}  // namespace projnce::loss
