#include "projnce/pipeline/information_report.h"

#include <torch/torch.h>

#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/eval/information_bounds.h"
#include "projnce/information/entropy.h"
#include "projnce/information/information_interval.h"
#include "projnce/pipeline/array_files.h"

namespace projnce {

using nlohmann::ordered_json;

ordered_json measure_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                 const torch::Tensor& class_vectors,
                                 const InformationOptions& options) {
  Progress progress("measuring information", 4, "steps");
  const double entropy = label_entropy(labels);
  const LabelInformationOptions ksg{.k = options.neighbors,
                                    .label_scale = options.label_scale > 0
                                                       ? options.label_scale
                                                       : fitting_label_scale(embeddings)};
  progress.update(0, "mixed KSG");
  const double estimate = label_information(embeddings, labels, ksg);
  progress.update(1, "its interval");
  const auto margin = information_margin(embeddings, labels, ksg);
  progress.update(2, "bounds");
  const auto bounds = information_bounds(embeddings, labels, class_vectors, options.temperature);
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
  return measure_information(arrays.embeddings, arrays.labels, {}, options);
}

}  // namespace projnce
