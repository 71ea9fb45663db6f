#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "projnce/distributed/process_group.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/batch.h"
#include "projnce/loss/loss.h"

namespace projnce::train {

// What a forward pass changes in passing, besides giving its result.

/// The state of LibTorch's random generator.
torch::Tensor random_state();
void set_random_state(const torch::Tensor& state);

/// Copies of the model's buffers: running statistics.
std::vector<torch::Tensor> copy_buffers(const encoder::EmbeddingModel& model);
void restore_buffers(encoder::EmbeddingModel& model, const std::vector<torch::Tensor>& copies);

/// How the rows of a batch go through the encoder.
struct EncodingPlan {
  int64_t views = 1;  ///< rows are view-major: all first views, then all second ones
  /// Samples encoded at a time; 0 is the whole batch. A batch that is larger is cut into pieces of
  /// nearly equal size, each with all views of its samples. None holds a single sample (unless this
  /// is 1), which batch-norm could not normalize: an odd batch cut in twos has one piece of three.
  int64_t micro_batch = 0;
  /// A batch without rows is not encoded, unless the encoder talks to other processes that do.
  bool encode_empty = false;
  /// Called before the last of the backward passes through the model; may be empty.
  std::function<void()> before_last_pass = {};
};

/// The loss of a whole batch, given what the model says about it: puts the gradient by the rows on
/// them, which are leaves, and returns the value without graph (`propagate`).
using BatchLoss = std::function<loss::LossValue(const encoder::Encoded& leaves)>;

/// Back-propagates to the leaves; returns the value without graph.
loss::LossValue propagate(loss::LossValue value);

/// Encodes `images`, evaluates `loss` once on all rows together, and adds d loss / d parameter to
/// the gradients of the model's and the loss's parameters.
///
/// A batch in one piece is plain back-propagation. In several, it is the gradient cache (Gao et al.
/// 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup"): encode the
/// pieces without graph, differentiate the loss by embeddings and features, then encode each piece
/// again, now with graph, and propagate its rows of that gradient. The time of one more forward
/// pass buys that the activations of only one piece are in memory.
///
/// The gradient is the exact one of the whole batch, for any loss and any encoder that treats rows
/// independently. Batch-norm in training mode does not: it normalizes within a piece, and the
/// gradient is the exact one of that computation. The second encoding starts from the state that
/// the first started from (random generator, buffers) and its effects on both are undone, so
/// dropout repeats its choices and running statistics count each piece once.
loss::LossValue backward_batch(encoder::EmbeddingModel& model, const torch::Tensor& images,
                               const EncodingPlan& plan, const BatchLoss& loss);

/// The loss of the batch that all ranks hold together, each its part of it. `leaves` are this
/// rank's encoded rows, possibly none.
///
/// Every rank compares its own rows, as anchors, with the rows of all. Its value is weighted by its
/// share of the rows, so that the sum over ranks is what one process would compute on the whole
/// batch; the gradient by a row is collected from all ranks that compared theirs with it and put on
/// `leaves`. That is exact for every loss, whatever it makes of the rows it compares with. The
/// loss's own parameters get this rank's part of their gradient.
///
/// Returns this rank's part of the value and of each of its parts, without graph. A collective:
/// every rank calls it.
loss::LossValue backward_global_loss(distributed::ProcessGroup& ranks, loss::Loss& loss,
                                     const encoder::Encoded& leaves, const loader::Batch& batch);

}  // namespace projnce::train
