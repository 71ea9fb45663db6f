#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/eval/accuracy.h"
#include "projnce/inference/evaluate.h"
#include "projnce/inference/results_json.h"
#include "projnce/io/printable.h"

namespace projnce::app::eval_command {

namespace {

using nlohmann::ordered_json;

const char* const kSummary = "evaluate a run: top-1, top-5, per-class accuracy, retrieval";
const char* const kDetails =
    "  projnce eval runs/photos                         on the run's own test split\n"
    "  projnce eval runs/photos --data other            on the test split of another dataset\n"
    "  projnce eval runs/photos --protocol knn,probe    with other protocols\n"
    "  projnce eval --embeddings e.npy --labels l.npy   embeddings of any program\n"
    "  projnce eval data.csv --label intent --split split --embeddings e.npy\n"
    "\n"
    "Protocols: nearest-centroid, knn (weighted k-nearest-neighbor vote), probe (linear probe),\n"
    "projection (class vectors learned by projnce-mlp), logits (classifier of ce and sce), all.\n"
    "Default: the run's own protocol; for embeddings, nearest-centroid. Without\n"
    "--test-embeddings, a fifth of each class is held out for testing; in a table, the rows\n"
    "with the value test in the column --split are the test samples.";

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : "-";
}

std::string range(const eval::Interval& interval) {
  return fmt::format("{:.2f} to {:.2f} %", 100 * interval.low, 100 * interval.high);
}

void print_protocols(const inference::EvalResult& result) {
  std::cout << fmt::format("{}\n\n{:<12} {:>9} {:>19} {:>9} {:>12}\n",
                           counted(result.samples, "test sample"), "protocol", "top-1",
                           "95 % interval", "top-5", "calibration");
  for (const auto& entry : result.results) {
    std::cout << fmt::format("{:<12} {:>9} {:>19} {:>9} {:>12}\n",
                             eval::protocol_name(entry.protocol), percent(entry.accuracy.top1),
                             range(entry.interval), percent(entry.accuracy.top5),
                             percent(entry.calibration_error));
  }
}

void print_classes(const inference::EvalResult& result) {
  const auto& first = result.results.front();
  const auto& accuracy = first.accuracy;
  std::cout << fmt::format("\n{:<24} {:>8} {:>9} {:>19}  most confused with ({})\n", "class",
                           "samples", "top-1", "95 % interval",
                           eval::protocol_name(first.protocol));
  bool any_small = false;
  for (size_t c = 0; c < result.class_names.size(); ++c) {
    const auto samples = accuracy.class_samples(c);
    const bool is_small = samples < eval::kFewTestSamples;
    any_small = any_small || is_small;
    const auto interval = eval::clopper_pearson_interval(accuracy.confusion[c][c], samples);
    std::cout << fmt::format("{:<24} {:>8} {:>9} {:>19}  {}\n", result.class_names[c],
                             fmt::format("{}{}", samples, is_small ? "*" : ""),
                             samples > 0 ? percent(accuracy.per_class[c]) : "-",
                             samples > 0 ? range(interval) : "-",
                             inference::most_confused_class(accuracy, c, result.class_names));
  }
  if (any_small) {
    std::cout << fmt::format("* fewer than {} test samples: accuracy is uncertain\n",
                             eval::kFewTestSamples);
  }
}

void print_retrieval(const inference::RetrievalReport& report) {
  std::cout << "\nretrieval among test samples\n";
  const auto measures = inference::retrieval_json(report);
  for (const auto& [name, value] : measures.items()) {
    if (name == "reason") {
      std::cout << "not measured: " << value.get<std::string>() << '\n';
    } else if (name != "queries") {
      std::cout << fmt::format("{:<24} {:>9}\n", name, percent(value.get<double>()));
    }
  }
}

/// Metrics of the first protocol at the top level, then all protocols by name, then retrieval.
ordered_json eval_json(const inference::EvalResult& result) {
  ordered_json json = {{"samples", result.samples}};
  ordered_json all;
  for (const auto& entry : result.results) {
    all[eval::protocol_name(entry.protocol)] = inference::full_json(entry, result.class_names);
  }
  json["protocol"] = eval::protocol_name(result.results.front().protocol);
  json.update(all.front());
  json["protocols"] = all;
  json["retrieval"] = inference::retrieval_json(result.retrieval);
  if (!result.remarks.empty()) json["remarks"] = result.remarks;
  if (result.data) {
    json["data"] = {{"root", io::printable(result.data->root.native())},
                    {"gone", result.data->gone},
                    {"new", result.data->added},
                    {"relabeled", result.data->relabeled}};
  }
  return json;
}

struct Arguments {
  inference::EvaluateRequest run;
  inference::EvaluateArraysRequest arrays;
  inference::TableRequest table;
  bool json = false;
};

inference::EvalResult evaluate_table(Arguments& arguments, const Context& context) {
  auto& arrays = arguments.arrays;
  if (!arrays.labels.empty() || !arrays.test_embeddings.empty() || !arguments.run.data.empty()) {
    fail(
        "--labels, --test-embeddings and --data do not go with a table, expected --label COLUMN "
        "and --split COLUMN");
  }
  arguments.table.embeddings = arrays.embeddings;
  arguments.table.context = open_context(context);
  arrays.table = arguments.table;
  arrays.protocol = arguments.run.protocol;
  return inference::evaluate_arrays(arrays, context.logger);
}

inference::EvalResult evaluate(Arguments& arguments, const Context& context) {
  if (take_table(arguments.table, arguments.run.run)) return evaluate_table(arguments, context);
  const bool arrays = !arguments.arrays.embeddings.empty();
  if (arrays == !arguments.run.run.empty()) {
    fail("expected the directory of a run, or --embeddings with --labels");
  }
  if (!arrays) {
    arguments.run.context = open_context(context);
    return inference::evaluate_run(arguments.run, context.logger);
  }
  arguments.arrays.protocol = arguments.run.protocol;
  if (arguments.arrays.labels.empty()) fail("--embeddings requires --labels or a table");
  return inference::evaluate_arrays(arguments.arrays, context.logger);
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto& arrays = arguments->arrays;
  auto& protocol = arguments->run.protocol;
  auto* command = add_command(app, "eval", kSummary, kDetails);
  command->add_option("RUN", arguments->run.run,
                      "directory of the run, or a table (.csv, .tsv, .jsonl)");
  command->add_option("--data", arguments->run.data,
                      "current path of the run's data, or other data to evaluate on");
  auto* embeddings = command->add_option("--embeddings", arrays.embeddings,
                                         "matrix, one row per sample (.npy, .safetensors)");
  auto* labels = command->add_option("--labels", arrays.labels, ".npy array of their labels");
  auto* test = command->add_option("--test-embeddings", arrays.test_embeddings,
                                   "evaluate on these rows; --embeddings become the reference set");
  auto* test_labels = command->add_option("--test-labels", arrays.test_labels, "their labels");
  labels->needs(embeddings);
  test->needs(test_labels, embeddings);
  test_labels->needs(test);
  command->add_option("--protocol", protocol.protocols, "evaluation protocols, separated by commas")
      ->delimiter(',');
  add_number(*command, "--k", protocol.knn.neighbors, at_least(1), "number of nearest neighbors");
  add_number(*command, "--knn-temperature", protocol.knn.temperature, above(0),
             "temperature of knn; a vote has weight exp(cosine / temperature)");
  add_table_options(*command, arguments->table);
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    const auto result = evaluate(*arguments, context);
    if (arguments->json) return print_json(eval_json(result));
    print_protocols(result);
    print_classes(result);
    print_retrieval(result.retrieval);
    for (const auto& remark : result.remarks) std::cout << "note: " << remark << '\n';
  });
}

}  // namespace projnce::app::eval_command
