#include "projnce/inference/information_report.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/dataset/readers/embeddings.h"
#include "projnce/inference/array_files.h"
#include "projnce/information/entropy.h"
#include "projnce/io/tensor/npy.h"
#include "projnce/projection/class_groups.h"

namespace projnce::inference {

namespace {

/// Reason why Mixed KSG cannot be estimated for these labels; empty if it can.
std::string withhold_reason(const torch::Tensor& labels, int64_t classes, int64_t neighbors) {
  if (classes < 2) return "all samples are of the same class";
  const int64_t smallest = information::smallest_class_size(labels);
  if (smallest > neighbors) return {};
  return concat("the smallest class has ", counted(smallest, "sample"), ", k = ", neighbors,
                " needs at least ", counted(neighbors + 1, "sample"), " per class");
}

KsgEstimate estimate_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                 const information::LabelInformationOptions& options) {
  Progress progress("estimating mutual information", 2, "steps");
  progress.update(0, "Mixed KSG");
  const double estimate = information::label_information(embeddings, labels, options);
  progress.update(1, "confidence interval");
  const auto margin = information::information_margin(embeddings, labels, options);
  if (!margin) return {.value = estimate};
  return {.value = estimate, .interval = eval::Interval{estimate - *margin, estimate + *margin}};
}

/// Rows to evaluate and the requested priors.
struct EvaluatedArrays {
  information::LabeledRows rows;
  torch::Tensor embeddings;  // [N, D], not normalized
  information::ClassPriors priors = {};
};

/// File of the labels.
const std::filesystem::path& labels_file(const ArrayInformationRequest& request) {
  return request.table.table.empty() ? request.labels : request.table.table;
}

LabeledArrays read_evaluated(const ArrayInformationRequest& request, const Logger& logger) {
  if (request.table.table.empty()) return read_labeled(request.embeddings, request.labels);
  require_labels(request.table);
  return read_table_samples(request.table, RunOutput::kEmbeddings, logger).arrays;
}

bool is_priors_file(const ArrayInformationRequest& request) {
  return request.priors != "estimated" && request.priors != "uniform";
}

/// Throws if the integers of the labels file show that some classes have no rows.
void check_no_gaps(const ArrayInformationRequest& request, int64_t occurring) {
  if (!request.table.table.empty()) return;
  const auto labels = read_labels(request.labels);
  const auto first = labels.min().item<int64_t>();
  const auto last = labels.max().item<int64_t>();
  if (last - first + 1 == occurring) return;
  fail(Hint{"pass the number of classes of the population as --num-classes"},
       request.labels.string(), " has rows of ", occurring, " of the classes ", first, "..", last,
       ", expected all of them with --priors uniform: classes without rows count too");
}

/// The number of classes of the population, of which `occurring` have rows.
int64_t population_classes(const ArrayInformationRequest& request, int64_t occurring) {
  if (request.num_classes == 0) {
    if (request.priors == "uniform") check_no_gaps(request, occurring);
    return occurring;
  }
  if (request.num_classes < occurring) {
    fail("--num-classes = ", request.num_classes, ", but ", labels_file(request).string(), " has ",
         occurring, " classes");
  }
  if (is_priors_file(request)) {
    fail("--num-classes has no effect with ", request.priors, ", whose length is the number of ",
         "classes");
  }
  return request.num_classes;
}

/// Reads the priors of the classes `labels`.
information::ClassPriors read_priors(const std::string& path, const torch::Tensor& labels) {
  if (!std::filesystem::exists(path)) {
    fail("--priors = '", path, "', expected uniform, estimated or a .npy file");
  }
  const auto file = io::read_npy(path);
  if (file.array.shape.size() != 1) {
    fail(path, " holds a ", file.array.shape.size(),
         "-dimensional array, expected a 1-dimensional array with one probability per class");
  }
  const auto values = dataset::finite_floats(file.array, path);
  const auto count = static_cast<int64_t>(values.size());
  const auto last = labels.max().item<int64_t>();
  if (last >= count) {
    fail(path, " has the priors of ", counted(count, "class", "classes"), ", expected at least ",
         last + 1, ", because class ", last, " occurs");
  }
  const information::ClassPriors priors{.num_classes = count, .values = torch::tensor(values)};
  try {
    information::checked_priors(priors, labels);
  } catch (const Error& error) {
    fail(path, ": ", error.what());
  }
  return priors;
}

torch::Tensor read_instances(const ArrayInformationRequest& request, int64_t rows) {
  auto instances = read_labels(request.instances);
  if (instances.size(0) != rows) {
    fail(request.instances.string(), " holds ", counted(instances.size(0), "instance id"), " and ",
         labels_file(request).string(), " ", counted(rows, "label"), ", expected one id per row");
  }
  return instances;
}

EvaluatedArrays read_arrays_with_priors(const ArrayInformationRequest& request,
                                        const Logger& logger) {
  const auto arrays = read_evaluated(request, logger);
  EvaluatedArrays result{.rows = {projection::unit_rows(arrays.embeddings), arrays.labels},
                         .embeddings = arrays.embeddings};
  const auto classes = static_cast<int64_t>(arrays.class_names.size());
  if (classes < 2) {
    fail(labels_file(request).string(), " has only one class, expected two or more");
  }
  result.priors = {.num_classes = population_classes(request, classes),
                   .estimated = request.priors == "estimated"};
  if (is_priors_file(request)) {
    // Priors are indexed by the integers of the file, or by the sorted labels of a table.
    if (request.table.table.empty()) result.rows.labels = read_labels(request.labels);
    result.priors = read_priors(request.priors, result.rows.labels);
  }
  if (!request.instances.empty()) {
    result.rows.instances = read_instances(request, result.rows.labels.size(0));
  }
  return result;
}

/// First row of each instance, because views of one sample are not independent neighbors.
torch::Tensor first_rows(const information::LabeledRows& rows) {
  if (!rows.instances.defined()) return torch::arange(rows.labels.size(0));
  const auto order = torch::argsort(rows.instances, /*stable=*/true, /*dim=*/0);
  const auto sorted = rows.instances.index_select(0, order);
  const auto first = torch::ones({order.size(0)}, torch::kBool);
  if (order.size(0) > 1) {
    const int64_t rest = order.size(0) - 1;
    first.narrow(0, 1, rest).copy_(sorted.narrow(0, 1, rest) != sorted.narrow(0, 0, rest));
  }
  return std::get<0>(order.masked_select(first).sort());
}

}  // namespace

std::string short_text(const eval::InformationBounds& bounds) {
  const auto& first = bounds.by_class_fitted ? bounds.by_class_fitted : bounds.by_class;
  const auto error = first->se ? fmt::format(" ± {:.2f}", *first->se) : std::string();
  return fmt::format("I(Z;C) >= {:.2f}{} nats{}", first->value, error,
                     first->value > 0 ? "" : " (not informative)");
}

InformationReport measure_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                      const eval::InformationBounds& bounds,
                                      const KsgOptions& options) {
  const information::LabelInformationOptions ksg{
      .k = options.neighbors,
      .label_scale = options.label_scale > 0 ? options.label_scale
                                             : information::fitting_label_scale(embeddings)};
  InformationReport report{.samples = embeddings.size(0),
                           .dimensions = embeddings.size(1),
                           .classes = std::get<0>(torch::_unique2(labels)).size(0),
                           .label_entropy = information::label_entropy(labels),
                           .bounds = bounds,
                           .neighbors = options.neighbors,
                           .label_scale = ksg.label_scale};
  report.withheld = withhold_reason(labels, report.classes, options.neighbors);
  if (report.withheld.empty()) report.ksg = estimate_information(embeddings, labels, ksg);
  return report;
}

ArrayInformation information_of_arrays(const ArrayInformationRequest& request,
                                       const Logger& logger) {
  set_threads(0);
  const auto [rows, original, priors] = read_arrays_with_priors(request, logger);
  const auto instance_rows = first_rows(rows);
  const int64_t instances = instance_rows.size(0);
  if (instances < 2) {
    fail(request.instances.string(), " has only one instance, expected two or more");
  }
  if (request.ksg.neighbors < 1 || request.ksg.neighbors >= instances) {
    fail("Mixed KSG: k = ", request.ksg.neighbors, ", expected between 1 and ", instances - 1,
         ", one less than the number of samples");
  }
  const int64_t folds = std::min(request.folds, instances);
  const auto bounds = eval::cross_validated_bounds(
      rows, {.folds = folds, .temperature = request.temperature, .priors = priors});
  // Unlike the bounds, the estimate uses the embeddings without normalization.
  const auto embeddings = original.index_select(0, instance_rows);
  return {.report = measure_information(embeddings, rows.labels.index_select(0, instance_rows),
                                        bounds, request.ksg),
          .folds = folds,
          .priors = request.priors,
          .num_classes = priors.num_classes};
}

}  // namespace projnce::inference
