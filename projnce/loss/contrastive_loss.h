#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace projnce {

/// What a loss makes of the values of its anchors.
enum class Reduction {
  kMean,  ///< a scalar: their mean
  kSum,   ///< a scalar: their sum
  kNone,  ///< [N]: the value of each anchor, 0 for an anchor that does not count
};

/// `per_anchor` [N] with the reduction applied.
torch::Tensor reduce(const torch::Tensor& per_anchor, Reduction reduction);

/// What every loss sees. `anchors` are this process's embeddings; `candidates` are what they are
/// compared with: the same rows on one process, all gathered rows on many. Losses never normalise.
struct ContrastiveBatch {
  torch::Tensor anchors = {};           // [N, D]
  torch::Tensor anchor_labels = {};     // [N], int64
  torch::Tensor candidates = {};        // [M, D]
  torch::Tensor candidate_labels = {};  // [M], int64
  int64_t anchor_offset = 0;            // row of anchors[0] inside candidates

  // Each of these may be undefined; a loss that needs it says so.
  torch::Tensor anchor_instances = {};       // [N], int64; equal for views of one sample
  torch::Tensor candidate_instances = {};    // [M], int64
  torch::Tensor anchor_features = {};        // [N, F], the encoder's output before the head
  torch::Tensor candidate_soft_labels = {};  // [M, C], p(class | row)

  /// Whether to compute what is only logged (LossValue::parts) as well.
  bool with_parts = true;
  /// Of LossValue::loss. Parts describe the mean; with another reduction there are none.
  Reduction reduction = Reduction::kMean;
};

/// One process: every row is compared with every row. `instances` and `features` may be undefined.
ContrastiveBatch self_batch(torch::Tensor embeddings, torch::Tensor labels,
                            torch::Tensor instances = {}, torch::Tensor features = {});

/// A loss with the parts it is made of, for logs; the parts carry no gradient. Without
/// ContrastiveBatch::with_parts there may be fewer of them or none.
struct LossValue {
  torch::Tensor loss;                                        // scalar; [N] with kNone
  std::vector<std::pair<std::string, torch::Tensor>> parts;  ///< name and scalar of each
};

/// A loss over embeddings and labels. Parameters of its own, where it has them (class vectors, a
/// classifier), are registered with the module: give them to the optimizer too.
class ContrastiveLoss : public torch::nn::Module {
 public:
  /// The loss with its parts. Throws an Error where the batch does not fit together.
  virtual LossValue evaluate(const ContrastiveBatch& batch) = 0;
  /// The loss alone, which is quicker.
  torch::Tensor forward(ContrastiveBatch batch);

  /// Scores of each class for the encoder's features [N, F] -> [N, C], where the loss trains a
  /// linear classifier of its own (ce, sce); undefined for all others.
  virtual torch::Tensor logits(const torch::Tensor& features);

  /// The learned class vectors [C, D], where the loss has them (projnce-mlp); undefined otherwise.
  virtual torch::Tensor class_vectors() const;
};

/// Losses are shared, as LibTorch's modules are.
using LossPtr = std::shared_ptr<ContrastiveLoss>;

}  // namespace projnce
