// What embeddings know and look like, as operators of torch.
#include <torch/library.h>
#include <torch/torch.h>

#include <cmath>
#include <string>

#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/eval/audit/audit.h"
#include "projnce/eval/tsne/tsne.h"
#include "projnce/information/entropy.h"
#include "projnce/information/mi_bounds.h"
#include "projnce/information/mixed_ksg.h"
#include "python/ops/errors.h"

namespace projnce::ops {

namespace {

using torch::Tensor;

double mixed_ksg_op(const Tensor& x, const Tensor& y, int64_t k) {
  return with_python_errors([&] { return information::mixed_ksg(x, y, k); });
}

/// label_scale 0: what fits the embeddings.
double label_information_op(const Tensor& embeddings, const Tensor& labels, int64_t k,
                            double label_scale) {
  return with_python_errors([&] {
    const auto scale =
        label_scale == 0 ? information::fitting_label_scale(embeddings) : label_scale;
    return information::label_information(embeddings, labels, {.k = k, .label_scale = scale});
  });
}

double label_entropy_op(const Tensor& labels) {
  return with_python_errors([&] { return information::label_entropy(labels); });
}

Tensor tensor_or_none(const c10::optional<Tensor>& tensor) {
  return tensor ? *tensor : Tensor();
}

information::BoundResult bound_of_form(const std::string& form,
                                       const information::LabeledRows& rows,
                                       const Tensor& class_vectors, const Tensor& negatives,
                                       const information::BoundOptions& options) {
  if (form == "pair") return information::pair_bound(rows, options);
  if (form == "general") return information::general_bound(rows, class_vectors, negatives, options);
  if (form == "class") return information::class_bound(rows, class_vectors, options);
  if (form == "logits") {
    return information::class_bound_from_logits(rows.embeddings, rows.labels, options.priors);
  }
  fail("form = '", form, "' is not one of 'pair', 'general', 'class', 'logits'");
}

/// mi_bound, normalized, their standard errors (NaN if there is none), entropy; terms, log ratios
/// and mean ratios by row.
using BoundValues = std::tuple<double, double, double, double, double, Tensor, Tensor, Tensor>;

BoundValues mi_bounds_op(const Tensor& embeddings, const Tensor& labels, const std::string& form,
                         const c10::optional<Tensor>& class_vectors,
                         const c10::optional<Tensor>& negatives,
                         const c10::optional<Tensor>& instances,
                         const c10::optional<Tensor>& priors, int64_t num_classes,
                         bool priors_estimated, double temperature, int64_t batches, int64_t seed) {
  return with_python_errors([&] {
    const information::BoundOptions options{.temperature = temperature,
                                            .priors = {.num_classes = num_classes,
                                                       .values = tensor_or_none(priors),
                                                       .estimated = priors_estimated},
                                            .batches = batches,
                                            .seed = static_cast<uint64_t>(seed)};
    const auto bound =
        bound_of_form(form, {embeddings, labels, tensor_or_none(instances)},
                      tensor_or_none(class_vectors), tensor_or_none(negatives), options);
    const double none = std::nan("");
    return BoundValues(bound.value, bound.normalized, bound.se.value_or(none),
                       bound.normalized_se.value_or(none), bound.entropy, bound.terms,
                       bound.log_ratio, bound.mean_ratio);
  });
}

std::tuple<Tensor, double> tsne_op(const Tensor& rows, double perplexity, int64_t iterations,
                                   double exaggeration, int64_t exaggeration_iterations,
                                   double learning_rate, double theta, int64_t seed, bool pca) {
  return with_python_errors([&] {
    const auto result =
        eval::tsne(rows, {.perplexity = perplexity,
                          .iterations = iterations,
                          .exaggeration = exaggeration,
                          .exaggeration_iterations = exaggeration_iterations,
                          .learning_rate = learning_rate,
                          .theta = theta,
                          .seed = static_cast<uint64_t>(seed),
                          .init = pca ? eval::TsneStart::kPca : eval::TsneStart::kRandom});
    return std::tuple(result.positions, result.divergence);
  });
}

using AuditValues = std::tuple<Tensor, Tensor, Tensor, double, double, double, double, bool>;

AuditValues audit_op(const Tensor& embeddings, const Tensor& labels, int64_t num_classes,
                     int64_t folds, int64_t seed) {
  return with_python_errors([&] {
    const auto result = eval::audit_labels(embeddings, labels, num_classes,
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
      "mi_bounds(Tensor embeddings, Tensor labels, str form, Tensor? class_vectors, "
      "Tensor? negatives, Tensor? instances, Tensor? priors, int num_classes, "
      "bool priors_estimated, float temperature, int batches, int seed) -> "
      "(float, float, float, float, float, Tensor, Tensor, Tensor)");
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
