#include "projnce/pipeline/information_report.h"

#include <torch/torch.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/information/bounds.h"
#include "projnce/information/entropy.h"
#include "projnce/information/information_interval.h"
#include "projnce/loss/projnce.h"
#include "projnce/pipeline/array_files.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

double label_scale_for(const torch::Tensor& embeddings) {
  constexpr double kUnitWithin = 1e-3;
  const auto lengths = embeddings.norm(2, /*dim=*/1);
  if (((lengths - 1).abs() < kUnitWithin).all().item<bool>()) return 1;
  const auto ranges = std::get<0>(embeddings.max(0)) - std::get<0>(embeddings.min(0));
  const double widest = ranges.max().item<double>();
  return widest > 0 ? widest : 1;
}

/// Every row against all others, itself left out of everything.
double pair_bound_of(const torch::Tensor& rows, const torch::Tensor& labels, double temperature) {
  const torch::NoGradGuard no_gradient;
  const auto value = projnce(self_batch(rows, labels), {.temperature = temperature});
  for (const auto& [name, part] : value.parts) {
    if (name == "mi_bound") return part.item<double>();
  }
  fail("the loss gave no bound");
}

/// Only rows of classes that have a vector count.
double class_bound_of(const torch::Tensor& rows, const torch::Tensor& labels,
                      const torch::Tensor& class_vectors, double temperature) {
  const auto absent = class_vectors.isnan().any(/*dim=*/1);
  const auto kept = absent.index_select(0, labels).logical_not().nonzero().squeeze(1);
  if (kept.size(0) == 0) return 0;
  return mi_bound_held_out(rows.index_select(0, kept), labels.index_select(0, kept),
                           torch::nan_to_num(class_vectors), temperature);
}

/// Each half with the centroids of the other; samples of a class go to both in turn.
double halved_class_bound(const torch::Tensor& rows, const torch::Tensor& labels,
                          int64_t num_classes, double temperature) {
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

ordered_json measure_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                 const torch::Tensor& class_vectors,
                                 const InformationOptions& options) {
  Progress progress("measuring information", 4, "steps");
  const auto num_classes = labels.max().item<int64_t>() + 1;
  const double entropy = label_entropy(labels);
  const LabelInformationOptions ksg{
      .k = options.neighbors,
      .label_scale = options.label_scale > 0 ? options.label_scale : label_scale_for(embeddings)};
  progress.update(0, "mixed KSG");
  const double estimate = label_information(embeddings, labels, ksg);
  progress.update(1, "its interval");
  const auto margin = information_margin(embeddings, labels, ksg);
  progress.update(2, "bounds");
  const auto rows = unit_rows(embeddings);
  const double class_bound =
      class_vectors.defined()
          ? class_bound_of(rows, labels, class_vectors.to(rows.dtype()), options.temperature)
          : halved_class_bound(rows, labels, num_classes, options.temperature);
  ordered_json interval = nullptr;
  if (margin) interval = {estimate - *margin, estimate + *margin};
  return {{"samples", embeddings.size(0)},
          {"dimensions", embeddings.size(1)},
          {"classes", std::get<0>(torch::_unique2(labels)).size(0)},
          {"label_entropy", entropy},
          {"mixed_ksg", estimate},
          {"interval", interval},
          {"share", entropy > 0 ? ordered_json(estimate / entropy) : ordered_json()},
          {"k", options.neighbors},
          {"label_scale", ksg.label_scale},
          {"bounds",
           {{"temperature", options.temperature},
            {"projnce", pair_bound_of(rows, labels, options.temperature)},
            {"class_vectors", class_bound}}}};
}

ordered_json information_of_arrays(const std::filesystem::path& embeddings,
                                   const std::filesystem::path& labels,
                                   const InformationOptions& options) {
  set_threads(0);
  const auto arrays = read_labelled(embeddings, labels);
  if (arrays.class_names.size() < 2) {
    fail(labels.string(),
         " has one class only, of which there is nothing to know; expected two or "
         "more");
  }
  return measure_information(arrays.embeddings, arrays.labels, {}, options);
}

}  // namespace projnce
