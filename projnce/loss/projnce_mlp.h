#pragma once

#include <memory>

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/loss.h"
#include "projnce/projection/mlp.h"

namespace projnce::loss {

/// Weight of each class in the denominator.
enum class ClassWeight {
  kCount,    ///< its rows in the batch: absent classes drop out
  kUniform,  ///< 1 for every class: plain softmax cross entropy on z.g_c/t
};

/// Options of ProjnceMlpLoss.
struct ProjnceMlpOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// If true, class vectors have unit length and scores stay within +-1/t; otherwise a wide matrix
  /// saturates the softmax.
  bool normalize_g = true;
  /// kNone: the denominator includes the anchor; kSelf: it does not (kCount only).
  Exclude denominator = Exclude::kNone;
  /// Weight of each class in the denominator.
  ClassWeight class_weight = ClassWeight::kCount;
  /// 0: a free vector for each class; above 0: that many hidden units in a network from the label.
  int64_t hidden = 0;
};

/// ProjNCE-MLP (Jeong and Hero): one learned vector g_c for each class as g+ and g-. n_c counts the
/// rows of class c, or is 1 for kUniform.
///
///   l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t},   L = mean_i l_i
///
/// A cosine softmax classifier whose logits are shifted by the log frequency of each class in the
/// batch. See class_infonce for edge cases and parts.
///
/// The matrix [C, D] belongs to the module and starts as N(0, 1/D). Rows of classes absent from the
/// batch get exactly zero gradient under kCount. A label outside 0..C-1 is an Error.
class ProjnceMlpLoss : public ContrastiveLoss {
 public:
  ProjnceMlpLoss(const ProjnceMlpOptions& options, int64_t num_classes, int64_t embedding_dim);
  LossValue evaluate(const ContrastiveBatch& batch) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;
  torch::Tensor class_vectors() const override;

 private:
  ProjnceMlpOptions options_;
  std::shared_ptr<projection::MlpProjection> projection_;
};

/// The functional form; `matrix` holds the class vectors, [C, D]. `hidden` is not used.
LossValue projnce_mlp(const ContrastiveBatch& batch, const torch::Tensor& matrix,
                      const ProjnceMlpOptions& options = {});

}  // namespace projnce::loss
