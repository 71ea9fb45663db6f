#pragma once

#include <memory>

#include "projnce/loss/class_contrast.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/projection/mlp.h"

namespace projnce {

/// What each class weighs in the denominator.
enum class ClassWeight {
  kCount,    ///< its rows in the batch: absent classes drop out
  kUniform,  ///< 1 for every class there is: plain softmax cross entropy on z.g_c/t
};

/// Options of ProjnceMlpLoss.
struct ProjnceMlpOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Unit class vectors: scores stay within +-1/t. Raw ones of a wide matrix saturate the softmax.
  bool normalize_g = true;
  /// kNothing: the denominator counts the anchor too; kSelf: it does not (with kCount alone).
  Leave denominator = Leave::kNothing;
  /// What a class weighs in the denominator.
  ClassWeight class_weight = ClassWeight::kCount;
  /// 0: a free vector for each class; above 0: that many hidden units in a network from the label.
  int64_t hidden = 0;
};

/// ProjNCE-MLP (Jeong and Hero): one learned vector for each class as g+ and g-; the formula is
/// class_contrast's. A cosine softmax classifier whose logits are shifted by the log frequency of
/// each class in the batch.
///
/// The matrix [C, D] belongs to the module and starts as N(0, 1/D). Rows of classes absent from the
/// batch get exactly zero gradient under kCount. A label outside 0..C-1 is an Error.
class ProjnceMlpLoss : public ContrastiveLoss {
 public:
  ProjnceMlpLoss(const ProjnceMlpOptions& options, int64_t num_classes, int64_t embedding_dim);
  LossValue evaluate(const ContrastiveBatch& batch) override;
  torch::Tensor class_vectors() const override;

 private:
  ProjnceMlpOptions options_;
  std::shared_ptr<MlpProjection> projection_;
};

/// The functional form; `matrix` holds the class vectors, [C, D]. `hidden` plays no role here.
LossValue projnce_mlp(const ContrastiveBatch& batch, const torch::Tensor& matrix,
                      const ProjnceMlpOptions& options = {});

}  // namespace projnce
