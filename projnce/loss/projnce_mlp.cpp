#include "projnce/loss/projnce_mlp.h"

#include "projnce/core/error.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"
#include "projnce/projection/class_groups.h"

namespace projnce::loss {

namespace {

constexpr auto kMlpName = "projnce-mlp";

void check_options(const ProjnceMlpOptions& options) {
  check_positive(options.temperature, kMlpName, "temperature");
  if (options.class_weight == ClassWeight::kUniform && options.denominator == Exclude::kSelf) {
    fail(Hint{"set denominator to 'all'"}, kMlpName,
         ": class_weight 'uniform' counts classes, not rows, so there is no anchor to exclude");
  }
}

/// Softmax cross entropy over all classes, including those absent from the batch:
/// l_i = -z_i.g_{y_i}/t + log sum_c e^{z_i.g_c/t}
LossValue uniform_infonce(const GroupedBatch& rows, const torch::Tensor& g,
                          const torch::Tensor& labels, double temperature) {
  const auto scores = rows.anchors.mm(g.t()) / temperature;                               // [N, C]
  const auto positive = (rows.anchors * g.index_select(0, labels)).sum(1) / temperature;  // [N]
  const auto logsumexp = scores.logsumexp(/*dim=*/1);                                     // [N]
  const auto loss = reduce(logsumexp - positive, rows.reduction);
  if (!rows.with_parts) return {loss, {}};
  return {loss,
          {{"alignment", -positive.detach().mean()}, {"uniformity", logsumexp.detach().mean()}}};
}

void check_matrix(const torch::Tensor& matrix, const GroupedBatch& rows) {
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
}

}  // namespace

LossValue projnce_mlp(const ContrastiveBatch& batch, const torch::Tensor& matrix,
                      const ProjnceMlpOptions& options) {
  check_options(options);
  const auto grouped = validate_batch(batch, GroupBy::kClass, kMlpName);
  check_matrix(matrix, grouped);
  // g_c: row c of the learned matrix
  const auto& labels = grouped.candidates.groups.labels;
  const auto vectors = matrix.to(grouped.anchors.scalar_type());  // [C, D]
  auto present =
      projection::select_class_vectors(vectors, grouped.candidates.groups, kMlpName);  // [K, D]
  if (options.class_weight == ClassWeight::kUniform) {
    return uniform_infonce(grouped, options.normalize_g ? projection::unit_rows(vectors) : vectors,
                           labels.index_select(0, grouped.anchor_class), options.temperature);
  }
  const auto [rows, g] = use_class_vectors(grouped, {.vectors = std::move(present)},
                                           {.normalize = options.normalize_g}, kMlpName);
  // l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t}
  const ProjectedScores scores(rows, g, options.temperature);
  return class_infonce(rows, scores.positive(), scores.logsumexp(options.denominator),
                       options.denominator);
}

ProjnceMlpLoss::ProjnceMlpLoss(const ProjnceMlpOptions& options, int64_t num_classes,
                               int64_t embedding_dim)
    : options_(options) {
  check_options(options);
  projection_ = register_module(
      "projection",
      std::make_shared<projection::MlpProjection>(projection::MlpProjectionOptions{
          .num_classes = num_classes, .embedding_dim = embedding_dim, .hidden = options.hidden}));
}

LossValue ProjnceMlpLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_mlp(batch, projection_->class_vectors(), options_);
}

torch::Tensor ProjnceMlpLoss::class_vectors() const {
  return projection_->class_vectors();
}

LossCritic ProjnceMlpLoss::critic(const torch::Tensor& /*rows*/, const torch::Tensor& /*labels*/,
                                  int64_t num_classes) {
  const torch::NoGradGuard no_gradient;
  const auto vectors = projection_->class_vectors().detach();
  // Vectors of other classes (coarse ones) say nothing about these.
  if (vectors.size(0) != num_classes) return {.compares_rows = false};
  return {.class_vectors = options_.normalize_g ? projection::unit_rows(vectors) : vectors,
          .compares_rows = false};
}

}  // namespace projnce::loss
