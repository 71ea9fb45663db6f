#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "projnce/encoder/embedding_model.h"
#include "projnce/loss/loss.h"

namespace projnce {

/// How the rows of a batch go through the encoder.
struct EncodingPlan {
  int64_t views = 1;  ///< rows are view-major: all first views, then all second ones
  /// Samples encoded at a time; 0 is the whole batch. A batch that is larger is cut into pieces of
  /// nearly equal size, each with all views of its samples. None holds a single sample (unless this
  /// is 1), which batch-norm could not normalise: an odd batch cut in twos has one piece of three.
  int64_t micro_batch = 0;
  /// A batch without rows is not encoded, unless the encoder talks to other processes that do.
  bool encode_empty = false;
  /// Called before the last of the backward passes through the model; may be empty.
  std::function<void()> before_last_pass = {};
};

/// The loss of a whole batch, given what the model says about it: puts the gradient by the rows on
/// them, which are leaves, and returns the value without graph (`propagate`).
using BatchLoss = std::function<LossValue(const Encoded& leaves)>;

/// Back-propagates to the leaves; returns the value without graph.
LossValue propagate(LossValue value);

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
/// independently. Batch-norm in training mode does not: it normalises within a piece, and the
/// gradient is the exact one of that computation. The second encoding starts from the state that
/// the first started from (random generator, buffers) and its effects on both are undone, so
/// dropout repeats its choices and running statistics count each piece once.
LossValue backward_batch(EmbeddingModel& model, const torch::Tensor& images,
                         const EncodingPlan& plan, const BatchLoss& loss);

}  // namespace projnce
