// What embeddings know and look like, as operators of torch.
#include <torch/library.h>
#include <torch/torch.h>

#include "projnce/core/threads.h"
#include "projnce/eval/audit/audit.h"
#include "projnce/eval/information_bounds.h"
#include "projnce/eval/tsne/tsne.h"
#include "projnce/information/entropy.h"
#include "projnce/information/mixed_ksg.h"
#include "python/ops/errors.h"

namespace projnce::ops {

namespace {

using torch::Tensor;

double mixed_ksg_op(const Tensor& x, const Tensor& y, int64_t k) {
  return with_python_errors([&] { return mixed_ksg(x, y, k); });
}

/// label_scale 0: what fits the embeddings.
double label_information_op(const Tensor& embeddings, const Tensor& labels, int64_t k,
                            double label_scale) {
  return with_python_errors([&] {
    const auto scale = label_scale == 0 ? fitting_label_scale(embeddings) : label_scale;
    return label_information(embeddings, labels, {.k = k, .label_scale = scale});
  });
}

double label_entropy_op(const Tensor& labels) {
  return with_python_errors([&] { return label_entropy(labels); });
}

std::tuple<double, double> mi_bounds_op(const Tensor& embeddings, const Tensor& labels,
                                        const c10::optional<Tensor>& class_vectors,
                                        double temperature) {
  return with_python_errors([&] {
    const auto bounds = information_bounds(embeddings, labels,
                                           class_vectors ? *class_vectors : Tensor(), temperature);
    return std::tuple(bounds.projnce, bounds.class_vectors);
  });
}

std::tuple<Tensor, double> tsne_op(const Tensor& rows, double perplexity, int64_t iterations,
                                   double exaggeration, int64_t exaggeration_iterations,
                                   double learning_rate, double theta, int64_t seed, bool pca) {
  return with_python_errors([&] {
    const auto result = tsne(rows, {.perplexity = perplexity,
                                    .iterations = iterations,
                                    .exaggeration = exaggeration,
                                    .exaggeration_iterations = exaggeration_iterations,
                                    .learning_rate = learning_rate,
                                    .theta = theta,
                                    .seed = static_cast<uint64_t>(seed),
                                    .init = pca ? TsneStart::kPca : TsneStart::kRandom});
    return std::tuple(result.positions, result.divergence);
  });
}

using AuditValues = std::tuple<Tensor, Tensor, Tensor, double, double, double, double, bool>;

AuditValues audit_op(const Tensor& embeddings, const Tensor& labels, int64_t num_classes,
                     int64_t folds, int64_t seed) {
  return with_python_errors([&] {
    const auto result = audit_labels(embeddings, labels, num_classes,
                                     {.folds = folds, .seed = static_cast<uint64_t>(seed)});
    const auto& skill = result.skill;
    return AuditValues(result.score, result.suggested, result.noise_matrix, result.noise_rate,
                       result.expected_precision, skill.accuracy, skill.chance_accuracy,
                       skill.informative);
  });
}

}  // namespace

}  // namespace projnce::ops

TORCH_LIBRARY_FRAGMENT(projnce, library) {
  using namespace projnce::ops;
  library.def("mixed_ksg(Tensor x, Tensor y, int k) -> float");
  library.def(
      "label_information(Tensor embeddings, Tensor labels, int k, float label_scale) -> float");
  library.def("label_entropy(Tensor labels) -> float");
  library.def(
      "mi_bounds(Tensor embeddings, Tensor labels, Tensor? class_vectors, float temperature) -> "
      "(float, float)");
  library.def(
      "tsne(Tensor rows, float perplexity, int iterations, float exaggeration, "
      "int exaggeration_iterations, float learning_rate, float theta, int seed, bool pca) -> "
      "(Tensor, float)");
  library.def(
      "audit(Tensor embeddings, Tensor labels, int num_classes, int folds, int seed) -> "
      "(Tensor, Tensor, Tensor, float, float, float, float, bool)");
}

// They have no gradient.
TORCH_LIBRARY_IMPL(projnce, CompositeExplicitAutograd, library) {
  using namespace projnce::ops;
  library.impl("mixed_ksg", mixed_ksg_op);
  library.impl("label_information", label_information_op);
  library.impl("label_entropy", label_entropy_op);
  library.impl("mi_bounds", mi_bounds_op);
  library.impl("tsne", tsne_op);
  library.impl("audit", audit_op);
}
