#include "projnce/pipeline/information_report.h"

#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/eval/information_bounds.h"
#include "projnce/information/entropy.h"
#include "projnce/information/information_interval.h"
#include "projnce/pipeline/array_files.h"

namespace projnce {

using nlohmann::ordered_json;

namespace {

/// Why there is no estimate for these labels; empty if there is one.
std::string reason_to_withhold(const torch::Tensor& labels, int64_t classes, int64_t neighbors) {
  if (classes < 2) return "all samples are of one class, so there is nothing to know about it";
  const int64_t smallest = smallest_class_size(labels);
  if (smallest > neighbors) return {};
  return concat("the smallest class has ", smallest, smallest == 1 ? " sample" : " samples",
                ", and an estimate from ", neighbors, " neighbors needs at least ", neighbors + 1,
                " of each class");
}

struct KsgEstimate {
  ordered_json value = nullptr;
  ordered_json interval = nullptr;
};

KsgEstimate estimate_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                 const LabelInformationOptions& options, Progress& progress) {
  progress.update(0, "mixed KSG");
  const double estimate = label_information(embeddings, labels, options);
  progress.update(1, "its interval");
  const auto margin = information_margin(embeddings, labels, options);
  if (!margin) return {.value = estimate};
  return {.value = estimate, .interval = {estimate - *margin, estimate + *margin}};
}

}  // namespace

ordered_json measure_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                 const torch::Tensor& class_vectors,
                                 const InformationOptions& options) {
  Progress progress("measuring information", 4, "steps");
  const double entropy = label_entropy(labels);
  const LabelInformationOptions ksg{.k = options.neighbors,
                                    .label_scale = options.label_scale > 0
                                                       ? options.label_scale
                                                       : fitting_label_scale(embeddings)};
  const int64_t classes = std::get<0>(torch::_unique2(labels)).size(0);
  const auto withheld = reason_to_withhold(labels, classes, options.neighbors);
  const auto estimate =
      withheld.empty() ? estimate_information(embeddings, labels, ksg, progress) : KsgEstimate{};
  progress.update(2, "bounds");
  const auto bounds = information_bounds(embeddings, labels, class_vectors, options.temperature);
  return {{"samples", embeddings.size(0)},
          {"dimensions", embeddings.size(1)},
          {"classes", classes},
          {"label_entropy", entropy},
          {"mixed_ksg", estimate.value},
          {"interval", estimate.interval},
          {"share", withheld.empty() ? ordered_json(estimate.value.get<double>() / entropy)
                                     : ordered_json()},
          {"withheld", withheld.empty() ? ordered_json() : ordered_json(withheld)},
          {"k", options.neighbors},
          {"label_scale", ksg.label_scale},
          {"bounds",
           {{"temperature", options.temperature},
            {"projnce", bounds.projnce},
            {"class_vectors", bounds.class_vectors}}}};
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
  const int64_t rows = arrays.labels.size(0);
  if (options.neighbors < 1 || options.neighbors >= rows) {
    fail("mixed KSG: k = ", options.neighbors, " must be between 1 and ", rows - 1,
         ", one less than the rows");
  }
  return measure_information(arrays.embeddings, arrays.labels, {}, options);
}

}  // namespace projnce
