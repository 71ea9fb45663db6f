#include "projnce/loss/projnce_mlp.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/projection/class_matrix.h"

namespace projnce {

namespace {

constexpr auto kMlpName = "projnce-mlp";

void check_options(const ProjnceMlpOptions& options) {
  check_positive(options.temperature, kMlpName, "temperature");
  if (options.class_weight == ClassWeight::kUniform && options.denominator == Leave::kSelf) {
    fail(Hint{"set denom to 'all'"}, kMlpName,
         ": class_weight 'uniform' counts classes, not rows, so there is no anchor to exclude");
  }
}

/// Softmax cross entropy over all classes, those absent from the batch included.
LossValue uniform_contrast(const ContrastRows& rows, const torch::Tensor& vectors,
                           const torch::Tensor& labels, double temperature) {
  const auto scores = rows.anchors.mm(vectors.t()) / temperature;                          // [N, C]
  const auto own = (rows.anchors * vectors.index_select(0, labels)).sum(1) / temperature;  // [N]
  const auto log_mass = scores.logsumexp(/*dim=*/1);                                       // [N]
  const auto loss = reduce(log_mass - own, rows.reduction);
  if (!rows.with_parts) return {loss, {}};
  const auto log_rows = std::log(static_cast<double>(rows.num_candidates()));
  return {loss,
          {{"alignment", -own.detach().mean()},
           {"uniformity", log_mass.detach().mean()},
           {"mi_bound", log_rows - loss.detach()}}};
}

}  // namespace

LossValue projnce_mlp(const ContrastiveBatch& batch, const torch::Tensor& matrix,
                      const ProjnceMlpOptions& options) {
  check_options(options);
  const auto rows = contrast_rows(batch, GroupBy::kClass, kMlpName);
  if (!matrix.defined() || !matrix.is_floating_point() ||
      matrix.device() != rows.anchors.device()) {
    fail(kMlpName, ": the class vectors are ",
         matrix.defined() ? concat(matrix.scalar_type(), " on ", matrix.device()) : "undefined",
         ", expected floating-point numbers on ", rows.anchors.device());
  }
  if (matrix.dim() != 2 || matrix.size(1) != rows.anchors.size(1)) {
    fail(kMlpName, ": the class vectors have shape ", matrix.sizes(), ", the embeddings ",
         rows.anchors.sizes(), "; their widths must be equal");
  }
  const auto& labels = rows.candidates.groups.labels;
  const auto vectors = matrix.to(rows.anchors.scalar_type());
  auto present = select_class_vectors(vectors, labels, kMlpName);  // [K, D]
  if (options.class_weight == ClassWeight::kUniform) {
    return uniform_contrast(rows, options.normalize_g ? unit_rows(vectors) : vectors,
                            labels.index_select(0, rows.anchor_class), options.temperature);
  }
  return class_contrast(rows, {.vectors = std::move(present)},
                        {.temperature = options.temperature,
                         .denominator = options.denominator,
                         .normalize_g = options.normalize_g});
}

ProjnceMlpLoss::ProjnceMlpLoss(const ProjnceMlpOptions& options, int64_t num_classes,
                               int64_t embedding_dim)
    : options_(options) {
  check_options(options);
  projection_ = register_module(
      "projection",
      std::make_shared<MlpProjection>(MlpProjectionOptions{
          .num_classes = num_classes, .embedding_dim = embedding_dim, .hidden = options.hidden}));
}

LossValue ProjnceMlpLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_mlp(batch, projection_->class_vectors(), options_);
}

torch::Tensor ProjnceMlpLoss::class_vectors() const {
  return projection_->class_vectors();
}

}  // namespace projnce
