#include "projnce/eval/information_bounds.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/core/error.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/information/bounds.h"
#include "projnce/loss/projnce.h"
#include "projnce/projection/class_groups.h"
#include "projnce/projection/class_matrix.h"

namespace projnce {

namespace {

double pair_bound_of(const torch::Tensor& rows, const torch::Tensor& labels, double temperature) {
  const auto value = projnce(make_batch(rows, labels), {.temperature = temperature});
  for (const auto& [name, part] : value.parts) {
    if (name == "mi_bound") return part.item<double>();
  }
  fail("the loss gave no bound");
}

/// Only rows of classes that have a vector count.
double class_bound_of(const torch::Tensor& rows, const torch::Tensor& labels,
                      const torch::Tensor& class_vectors, double temperature) {
  check_labels(labels, class_vectors.size(0), "held-out bound");
  const auto absent = class_vectors.isnan().any(/*dim=*/1);
  const auto kept = absent.index_select(0, labels).logical_not().nonzero().squeeze(1);
  if (kept.size(0) == 0) return 0;
  return mi_bound_held_out(rows.index_select(0, kept), labels.index_select(0, kept),
                           torch::nan_to_num(class_vectors), temperature);
}

/// Each half with the centroids of the other; samples of a class go to both in turn.
double halved_class_bound(const torch::Tensor& rows, const torch::Tensor& labels,
                          double temperature) {
  const auto num_classes = labels.max().item<int64_t>() + 1;
  const auto by_class = std::get<1>(labels.sort(c10::optional<bool>(true), /*dim=*/0));
  const auto count = rows.size(0);
  const torch::Tensor halves[] = {by_class.slice(0, 0, count, 2), by_class.slice(0, 1, count, 2)};
  double sum = 0;
  for (int half = 0; half < 2; ++half) {
    const auto& known = halves[1 - half];
    const auto centroids =
        class_centroids(rows.index_select(0, known), labels.index_select(0, known), num_classes);
    sum += class_bound_of(rows.index_select(0, halves[half]), labels.index_select(0, halves[half]),
                          centroids, temperature);
  }
  return sum / 2;
}

}  // namespace

InformationBounds information_bounds(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                     const torch::Tensor& class_vectors, double temperature) {
  const torch::NoGradGuard no_gradient;
  const auto rows = unit_rows(embeddings);
  return {.projnce = pair_bound_of(rows, labels, temperature),
          .class_vectors =
              class_vectors.defined()
                  ? class_bound_of(rows, labels, class_vectors.to(rows.dtype()), temperature)
                  : halved_class_bound(rows, labels, temperature)};
}

}  // namespace projnce
