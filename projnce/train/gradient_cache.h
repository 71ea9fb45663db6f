#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "projnce/distributed/process_group.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/batch.h"
#include "projnce/loss/loss.h"
#include "projnce/train/train_options.h"

namespace projnce::train {

// State that a forward pass modifies as a side effect.

/// Returns the state of the default generator of `device`; undefined if it has none.
torch::Tensor random_state(const torch::Device& device = torch::kCPU);
/// Restores a state; an undefined one changes nothing.
void set_random_state(const torch::Tensor& state, const torch::Device& device = torch::kCPU);

/// Copies the model's buffers (running statistics).
std::vector<torch::Tensor> copy_buffers(const encoder::EmbeddingModel& model);
void restore_buffers(encoder::EmbeddingModel& model, const std::vector<torch::Tensor>& copies);
/// Same if the bool scalar `keep`, on the device of the model, is false; does not wait for it.
void restore_buffers_unless(const torch::Tensor& keep, encoder::EmbeddingModel& model,
                            const std::vector<torch::Tensor>& copies);

/// How the rows of a batch are passed through the encoder.
struct EncodingPlan {
  int64_t views = 1;  ///< rows are view-major: all first views, then all second views
  /// Number of samples encoded at a time; 0 = the whole batch. A larger batch is split into
  /// micro-batches of nearly equal size, each with all views of its samples. Unless this is 1, no
  /// micro-batch has a single sample, which batch-norm cannot normalize: splitting an odd batch by
  /// 2 yields one micro-batch of 3.
  int64_t micro_batch = 0;
  /// If true, encodes even a batch without rows; needed if the encoder communicates with other
  /// processes. Default: false.
  bool encode_empty = false;
  /// Type in which the model computes; its outputs are converted to float32.
  Precision precision = Precision::kFloat32;
  /// Called before the last backward pass through the model; may be empty.
  std::function<void()> before_last_pass = {};
};

/// Computes the loss of a whole batch from the model's outputs, back-propagates it to `leaves` and
/// returns the value without graph (see `propagate`).
using BatchLoss = std::function<loss::LossValue(const encoder::Encoded& leaves)>;

/// Back-propagates the loss, multiplied by `scale` if that is defined, to its leaves; returns the
/// value without graph.
loss::LossValue propagate(loss::LossValue value, const torch::Tensor& scale = {});

/// Encodes `images`, evaluates `loss` once on all rows, and accumulates the gradients of the
/// model's and the loss's parameters.
///
/// An unsplit batch uses plain back-propagation. Otherwise this is gradient caching (Gao et al.
/// 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup"): encode the
/// micro-batches without graph, differentiate the loss with respect to embeddings and features,
/// then encode each micro-batch again with graph and back-propagate its rows of that gradient. This
/// costs one extra forward pass and keeps the activations of only one micro-batch in memory.
///
/// The gradient is exact for the whole batch, for any loss and any encoder that treats rows
/// independently. Batch-norm in training mode does not: it normalizes within a micro-batch, and the
/// gradient is exact for that computation. The second encoding restores the generator state and
/// buffers of the first, and its side effects are undone, so dropout repeats its masks and running
/// statistics count each micro-batch once.
loss::LossValue backward_batch(encoder::EmbeddingModel& model, const torch::Tensor& images,
                               const EncodingPlan& plan, const BatchLoss& loss);

/// Computes and back-propagates the loss of the global batch, which is distributed over the ranks.
/// `leaves` are this rank's encoded rows, possibly none.
///
/// Each rank uses its own rows as anchors and the rows of all ranks as candidates. Its value is
/// weighted by its fraction of the rows, so that the sum over ranks equals the loss that one
/// process computes on the whole batch. The gradient of each row is summed over all ranks and
/// stored in `leaves`, which is exact for every loss. The loss's own parameters get this rank's
/// contribution to their gradient.
///
/// Returns this rank's contribution to the loss and to each of its parts, without graph. All
/// gradients are multiplied by the scalar `scale` if that is defined. This is a collective: every
/// rank must call it.
loss::LossValue backward_global_loss(distributed::ProcessGroup& ranks, loss::Loss& loss,
                                     const encoder::Encoded& leaves, const loader::Batch& batch,
                                     const torch::Tensor& scale = {});

}  // namespace projnce::train
