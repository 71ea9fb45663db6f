#include "projnce/inference/evaluate.h"

#include <torch/types.h>

#include <string_view>
#include <unordered_set>
#include "projnce/core/device.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/dataset/labels.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/eval/retrieval.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"
#include "projnce/projection/class_groups.h"

namespace projnce::inference {

namespace {

bool all_rows_equal(const torch::Tensor& rows) {
  return rows.eq(rows.narrow(0, 0, 1)).all().item<bool>();
}

}  // namespace

RetrievalReport measure_retrieval_report(const torch::Tensor& rows, const torch::Tensor& labels) {
  if (labels.size(0) == 0) return {.reason = "there are no test samples"};
  const auto classes = std::get<0>(torch::_unique2(labels)).size(0);
  if (classes == labels.size(0)) return {.reason = "no class has two test samples"};
  if (classes == 1) return {.reason = "all test samples have the same class"};
  if (all_rows_equal(rows)) return {.reason = "all test embeddings are equal"};
  return {.retrieval = eval::measure_retrieval(rows, labels),
          .nmi = eval::normalized_information(eval::k_means(projection::unit_rows(rows), classes),
                                              labels)};
}

nlohmann::ordered_json retrieval_json(const RetrievalReport& report) {
  const auto& found = report.retrieval;
  nlohmann::ordered_json result = {{"queries", found.queries}};
  if (!report.reason.empty()) {
    result["reason"] = report.reason;
    return result;
  }
  for (size_t k = 0; k < found.ranks.size(); ++k) {
    result[concat("recall_at_", found.ranks[k])] = found.recall[k];
  }
  result["r_precision"] = found.r_precision;
  result["map_at_r"] = found.map_at_r;
  result["nmi"] = report.nmi;
  return result;
}

namespace {

void check_same_classes(const TrainedModel& trained, const dataset::Dataset& test) {
  if (trained.class_names == test.class_names()) return;
  fail(Hint{"use data with the same class folders"}, "the data has the classes ",
       join(test.class_names()), ", expected those of the run: ", join(trained.class_names));
}

/// Replaces "auto" by the readout of the delivered model, with its k-NN options unless others are
/// given.
ProtocolRequest run_protocol_request(ProtocolRequest request, const TrainedModel& trained) {
  const auto& readout = trained.readout;
  request.protocols = eval::with_readout(request.protocols, eval::protocol_name(readout.protocol));
  if (readout.protocol == eval::Protocol::kKnn) {
    if (request.knn.neighbors == 0) request.knn.neighbors = readout.knn.neighbors;
    if (request.knn.temperature == eval::KnnOptions{}.temperature) {
      request.knn.temperature = readout.knn.temperature;
    }
  }
  return request;
}

EvalResult evaluate_samples(const EvalInputs& samples, const std::vector<std::string>& class_names,
                            const ProtocolRequest& request) {
  const auto protocols = eval::choose_protocols(request.protocols, samples.logits.defined(),
                                                samples.learned_vectors.defined());
  Progress progress("evaluating", static_cast<int64_t>(protocols.size()) + 1, "steps");
  EvalResult result{.samples = samples.test.labels.size(0), .class_names = class_names};
  for (const auto protocol : protocols) {
    progress.update(static_cast<int64_t>(result.results.size()), eval::protocol_name(protocol));
    result.results.push_back(evaluate_protocol(samples, protocol, request.knn));
  }
  progress.update(static_cast<int64_t>(protocols.size()), "retrieval");
  result.retrieval = measure_retrieval_report(samples.test.embeddings, samples.test.labels);
  if (samples.test.labels.size(0) > 1 && all_rows_equal(samples.test.embeddings)) {
    result.remarks.push_back(
        "all test embeddings are equal: every sample gets the same prediction, which says nothing "
        "about the embeddings");
  }
  return result;
}

EmbeddedSet as_set(const torch::Tensor& embeddings, const torch::Tensor& labels) {
  return {.embeddings = embeddings, .features = embeddings, .labels = labels, .indices = {}};
}

EmbeddedSet select_rows(const LabeledArrays& arrays, const std::vector<int64_t>& rows) {
  const auto index = torch::tensor(rows, torch::kInt64);
  return as_set(arrays.embeddings.index_select(0, index), arrays.labels.index_select(0, index));
}

/// Number of test rows that are also reference rows.
int64_t count_shared_rows(const torch::Tensor& reference, const torch::Tensor& test) {
  const auto known = reference.contiguous();
  const auto asked = test.contiguous();
  const auto row = [](const torch::Tensor& rows, int64_t i) {
    const auto bytes = static_cast<size_t>(rows.size(1)) * rows.element_size();
    return std::string_view(
        static_cast<const char*>(rows.data_ptr()) + bytes * static_cast<size_t>(i), bytes);
  };
  std::unordered_set<std::string_view> rows;
  for (int64_t i = 0; i < known.size(0); ++i) rows.insert(row(known, i));
  int64_t shared = 0;
  for (int64_t i = 0; i < asked.size(0); ++i) shared += rows.contains(row(asked, i)) ? 1 : 0;
  return shared;
}

/// Splits one file into reference and test samples.
void hold_out(const LabeledArrays& arrays, const std::string& name, EvalInputs& samples) {
  constexpr double kTestShare = 0.2;
  constexpr uint64_t kSeed = 0;
  const auto* labels = arrays.labels.data_ptr<int64_t>();
  const auto parts =
      dataset::stratified_split({labels, labels + arrays.labels.size(0)}, kTestShare, kSeed);
  if (parts.test.empty())
    fail(name, " has no class with two samples, expected one for reference and one for testing");
  samples.reference = select_rows(arrays, parts.train);
  samples.test = select_rows(arrays, parts.test);
}

/// Divides the rows of a table by its split column, or at random without one.
void split_table(const TableSamples& read, EvalInputs& samples) {
  const auto& [table, arrays] = read;
  if (table.columns.split.empty()) return hold_out(arrays, table.table.name(), samples);
  std::vector<int64_t> reference;
  std::vector<int64_t> test;
  for (int64_t row = 0; row < table.size(); ++row) {
    (table.text_of(table.columns.split, row) == "test" ? test : reference).push_back(row);
  }
  if (reference.empty() || test.empty()) {
    fail(table.table.name(), " has ", test.size(), " rows with the value 'test' in the column '",
         io::printable_start(table.columns.split), "' and ", reference.size(),
         " others, expected both");
  }
  samples.reference = select_rows(arrays, reference);
  samples.test = select_rows(arrays, test);
}

/// Reads the files of the request; returns the class names.
std::vector<std::string> read_eval_inputs(const EvaluateArraysRequest& request, EvalInputs& samples,
                                          const Logger& logger) {
  if (!request.table.table.empty()) {
    require_labels(request.table);
    const auto read = read_table_samples(request.table, RunOutput::kEmbeddings, logger);
    split_table(read, samples);
    return read.arrays.class_names;
  }
  const auto reference = read_labeled(request.embeddings, request.labels);
  if (request.test_embeddings.empty()) {
    hold_out(reference, request.labels.string(), samples);
    return reference.class_names;
  }
  const auto test =
      read_labeled(request.test_embeddings, request.test_labels, reference.class_names);
  if (test.embeddings.size(1) != reference.embeddings.size(1)) {
    fail(request.embeddings.string(), " has ", reference.embeddings.size(1), " columns and ",
         request.test_embeddings.string(), " ", test.embeddings.size(1),
         ", expected the same number");
  }
  samples.reference = as_set(reference.embeddings, reference.labels);
  samples.test = as_set(test.embeddings.to(reference.embeddings.dtype()), test.labels);
  return reference.class_names;
}

}  // namespace

EvalResult evaluate_run(const EvaluateRequest& request, const Logger& logger) {
  const auto paths = io::find_run(request.run);
  const auto run = open_trained_run(paths, request.data, request.context, request.device);
  check_same_classes(run.trained, run.data.test());
  auto samples = embed_test_split(run, logger);
  const auto protocol = run_protocol_request(request.protocol, run.trained);
  auto protocols = eval::choose_protocols(protocol.protocols, samples.logits.defined(),
                                          samples.learned_vectors.defined());
  // The model file includes what its own readout needs.
  std::erase(protocols, run.trained.readout.protocol);
  if (eval::needs_reference(protocols)) samples.reference = embed_reference_split(run, logger);
  auto result = evaluate_samples(samples, run.trained.class_names, protocol);
  const auto& opened = run.data.dataset;
  result.data = EvaluatedData{.root = opened.root,
                              .gone = opened.changes.gone,
                              .added = opened.changes.added,
                              .relabeled = opened.changes.relabeled};
  return result;
}

EvalResult evaluate_arrays(const EvaluateArraysRequest& request, const Logger& logger) {
  set_threads(0);
  EvalInputs samples{.device = resolve_device(request.device, "--device")};
  const auto class_names = read_eval_inputs(request, samples, logger);
  if (class_names.size() < 2) {
    const auto& file = request.table.table.empty() ? request.labels : request.table.table;
    fail(file.string(), " has only one class, expected two or more");
  }
  samples.num_classes = static_cast<int64_t>(class_names.size());
  samples.class_vectors = eval::class_centroids(samples.reference.embeddings,
                                                samples.reference.labels, samples.num_classes);
  auto result = evaluate_samples(samples, class_names, request.protocol);
  const auto shared = count_shared_rows(samples.reference.embeddings, samples.test.embeddings);
  if (shared > 0) {
    result.remarks.push_back(concat(shared, " of ", result.samples,
                                    " test rows are also reference rows: results on them do not "
                                    "show how the embeddings generalize"));
  }
  return result;
}

}  // namespace projnce::inference
