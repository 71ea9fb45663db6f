#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace projnce::loss {

/// Reduction over the anchors.
enum class Reduction {
  kMean,  ///< a scalar: their mean
  kSum,   ///< a scalar: their sum
  kNone,  ///< [N]: the value of each anchor, 0 if the anchor does not count
};

/// `per_anchor` [N] with the reduction applied.
torch::Tensor reduce(const torch::Tensor& per_anchor, Reduction reduction);

/// The input of every loss. `anchors` are this process's embeddings; `candidates` are the rows that
/// they are compared with: the same rows on one process, all gathered rows on several. Losses never
/// normalize.
struct ContrastiveBatch {
  torch::Tensor anchors = {};           // [N, D]
  torch::Tensor anchor_labels = {};     // [N], int64
  torch::Tensor candidates = {};        // [M, D]
  torch::Tensor candidate_labels = {};  // [M], int64
  int64_t anchor_offset = 0;            // row of anchors[0] inside candidates

  // Each of these may be undefined; a loss that needs one throws an Error if it is.
  torch::Tensor anchor_instances = {};       // [N], int64; equal for views of one sample
  torch::Tensor candidate_instances = {};    // [M], int64
  torch::Tensor anchor_features = {};        // [N, F], the encoder's output before the head
  torch::Tensor candidate_soft_labels = {};  // [M, C], p(class | row)

  /// If true, LossValue::parts are computed too; they are for logs only.
  bool with_parts = true;
  /// Reduction of LossValue::loss. Parts describe the mean; other reductions have none.
  Reduction reduction = Reduction::kMean;
};

/// The batch of a single process: every row is compared with every row. `instances` and `features`
/// may be undefined.
ContrastiveBatch make_batch(torch::Tensor embeddings, torch::Tensor labels,
                            torch::Tensor instances = {}, torch::Tensor features = {});

/// A loss and its parts, for logs; the parts carry no gradient. Without
/// ContrastiveBatch::with_parts there may be fewer of them or none.
struct LossValue {
  torch::Tensor loss;                                        // scalar; [N] with kNone
  std::vector<std::pair<std::string, torch::Tensor>> parts;  ///< name and scalar of each
};

/// How a loss scores rows against classes. Used for certified bounds on I(Z;C) of held-out rows
/// (eval/information_bounds.h).
struct LossCritic {
  /// [C, D]: one vector for each class, NaN for a class that has none. Undefined: class centroids.
  torch::Tensor class_vectors = {};
  /// [K, D]: the vectors that `class_vectors` are contrasted with, if these are neither rows nor
  /// the class vectors themselves; undefined otherwise.
  torch::Tensor negatives = {};
  bool compares_rows = true;  ///< if true, rows are contrasted with rows: the pair form applies
};

/// A function of embeddings and labels that training minimizes. Parameters of a loss (class
/// vectors, a classifier) are registered with the module: pass them to the optimizer too.
///
///   projnce::SupConLoss loss({.temperature = 0.1});
///   loss(embeddings, labels).backward();
class Loss : public torch::nn::Module {
 public:
  /// The loss with its parts. Throws an Error if the tensors of the batch do not match.
  virtual LossValue evaluate(const ContrastiveBatch& batch) = 0;

  /// The loss without its parts, which is faster.
  torch::Tensor forward(ContrastiveBatch batch);
  /// Same for rows that are compared with each other: embeddings [N, D], labels [N]; instances
  /// [N] for losses over views, features [N, F] for classifiers.
  torch::Tensor forward(torch::Tensor embeddings, torch::Tensor labels,
                        torch::Tensor instances = {}, torch::Tensor features = {});

  /// Same as forward.
  torch::Tensor operator()(ContrastiveBatch batch) { return forward(std::move(batch)); }
  /// Same as forward.
  torch::Tensor operator()(torch::Tensor embeddings, torch::Tensor labels,
                           torch::Tensor instances = {}, torch::Tensor features = {}) {
    return forward(std::move(embeddings), std::move(labels), std::move(instances),
                   std::move(features));
  }

  /// Scores of each class for the encoder's features [N, F] -> [N, C], if the loss trains a linear
  /// classifier (ce, sce); undefined otherwise.
  virtual torch::Tensor logits(const torch::Tensor& features);

  /// The learned class vectors [C, D], if the loss has them (projnce-mlp); undefined otherwise.
  virtual torch::Tensor class_vectors() const;

  /// The critic of the loss, computed from rows [N, D] with labels [N] in 0..C-1, such as training
  /// rows. It must be evaluated on other rows.
  virtual LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                            int64_t num_classes);
};

/// A loss that compares anchors with candidates.
class ContrastiveLoss : public Loss {};

/// Shared ownership, like LibTorch's module holders.
using LossPtr = std::shared_ptr<Loss>;

/// A loss of a linear classifier over the encoder's features: it compares no rows with each other.
///
/// The classifier belongs to the module (`classifier.weight`, `classifier.bias`) and reads
/// `anchor_features`, or the anchors if the batch has none. Throws an Error if a label is outside
/// 0..C-1.
///
/// Parts: accuracy, the share of anchors whose highest logit is their label's.
class ClassifierLoss : public Loss {
 public:
  LossValue evaluate(const ContrastiveBatch& batch) override;
  torch::Tensor logits(const torch::Tensor& features) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 protected:
  /// `name` begins the messages of errors.
  ClassifierLoss(std::string name, int64_t num_classes, int64_t feature_dim);

  /// The loss of logits [N, C] with labels [N].
  virtual torch::Tensor loss_of(const torch::Tensor& logits, const torch::Tensor& labels,
                                Reduction reduction) = 0;

 private:
  std::string name_;
  torch::nn::Linear classifier_{nullptr};
};

/// Throws an Error that begins with `name` if logits [N, C] and labels [N] do not match.
void check_logits(const torch::Tensor& logits, const torch::Tensor& labels,
                  const std::string& name);
/// The share of rows whose highest logit is their label's; a scalar.
torch::Tensor accuracy(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace projnce::loss
