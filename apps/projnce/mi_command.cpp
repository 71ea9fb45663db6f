#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/inference/information_report.h"
#include "projnce/inference/results_json.h"

namespace projnce::app::mi_command {

namespace {

const char* const kSummary = "estimate the mutual information of embeddings and labels, in nats";
const char* const kDetails =
    "  projnce mi runs/photos/embeddings.npy runs/photos/labels.npy\n"
    "  projnce mi data.csv --label intent --embeddings e.npy\n"
    "  projnce mi views.npy labels.npy --instances samples.npy --priors uniform --json\n"
    "\n"
    "Prints lower bounds on I(Z;C), cross-validated over random folds of instances: class\n"
    "centroids and the fitted temperature come from the other folds; embeddings are\n"
    "L2-normalized. The bounds are certified (their expectation is at most I(Z;C)) if the encoder\n"
    "was not trained on these rows. Mixed KSG is an estimate and may be above or below I(Z;C).\n"
    "H(C), the label entropy, is the upper limit.";

constexpr auto kRow = "{:<50} {:>9}  {}\n";

std::string number_text(double value) {
  return std::abs(value) < 1e6 ? fmt::format("{:.4f}", value) : fmt::format("{:.3e}", value);
}

/// Prints a bound with its standard error; marks a non-positive bound as not informative.
void print_bound(const std::optional<eval::BoundEstimate>& estimate, const std::string& name) {
  const auto& bound = estimate.value();  // cross-validation computes every form
  auto remark = bound.se ? "± " + number_text(*bound.se) : std::string("no standard error");
  if (bound.value <= 0) remark += ", not informative";
  std::cout << fmt::format(kRow, name, number_text(bound.value), remark);
}

void print_bounds(const inference::ArrayInformation& result) {
  const auto& bounds = result.report.bounds;
  const auto temperature = fmt::format("temperature {:.3g}", bounds.temperature);
  std::cout << fmt::format(
      "\nlower bounds on I(Z;C), nats ({}, {} folds, priors: {} over {} classes)\n",
      counted(bounds.rows, "row"), result.folds, result.priors, result.num_classes);
  print_bound(bounds.by_class_fitted,
              fmt::format("  class form, fitted temperature {:.3g}", bounds.fitted_temperature));
  print_bound(bounds.by_class, "  class form, " + temperature);
  print_bound(bounds.pair_normalized, "  normalized pair form, " + temperature);
  print_bound(bounds.pair, "  pair form, " + temperature);
}

void print_estimate(const inference::InformationReport& report) {
  std::cout << "\nestimate of I(Z;C) (not a bound), nats\n";
  const auto name = fmt::format("  Mixed KSG, k = {}", report.neighbors);
  if (!report.ksg) {
    std::cout << fmt::format("{}: no estimate: {} (try a smaller --k)\n", name, report.withheld);
    return;
  }
  const auto& interval = report.ksg->interval;
  const auto spread =
      interval ? fmt::format("95 % interval {:.4f} to {:.4f}", interval->low, interval->high)
               : std::string("too few samples for an interval");
  std::cout << fmt::format(kRow, name, number_text(report.ksg->value), spread);
}

void print_information(const inference::ArrayInformation& result) {
  const auto& report = result.report;
  std::cout << fmt::format("{}, {}, {}\n", counted(report.samples, "sample"),
                           counted(report.dimensions, "dimension"),
                           counted(report.classes, "class", "classes"))
            << fmt::format(kRow, "label entropy H(C), upper limit",
                           number_text(report.label_entropy), "nats");
  print_bounds(result);
  print_estimate(report);
  std::cout << "\nThe bounds hold only if the encoder was not trained on these rows.\n";
}

nlohmann::ordered_json to_json(const inference::ArrayInformation& result) {
  auto json = inference::information_json(result.report);
  json["folds"] = result.folds;
  json["priors"] = result.priors;
  json["num_classes"] = result.num_classes;
  return json;
}

}  // namespace

void add(CLI::App& app, Context& context) {
  struct Arguments {
    inference::ArrayInformationRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  auto* command = add_command(app, "mi", kSummary, kDetails);
  command
      ->add_option("EMBEDDINGS", request.embeddings, ".npy matrix, one row per sample, or a table")
      ->required();
  command->add_option("LABELS", request.labels, ".npy array of integer labels; not for a table");
  command->add_option("--embeddings", request.table.embeddings,
                      "matrix of the rows of a table (.npy, .safetensors)");
  add_table_options(*command, request.table);
  command->add_option("--instances", request.instances,
                      ".npy array of integer sample ids; views of a sample share one id");
  command
      ->add_option(
          "--priors", request.priors,
          "class priors: uniform, estimated (bias-corrected label frequencies of the other "
          "folds), or a .npy file with one probability per class")
      ->default_str(request.priors);
  add_number(*command, "--num-classes", request.num_classes, at_least(1),
             "number of classes of the population, for priors 'uniform' and 'estimated'; required "
             "for 'uniform' if some of them have no rows; default: those that occur");
  add_number(*command, "--tau,--temperature", request.temperature, above(0),
             "temperature of the bounds without fitted temperature");
  add_number(*command, "--folds", request.folds, at_least(2),
             "number of cross-validation folds, at most one for each instance");
  add_number(*command, "--k", request.ksg.neighbors, at_least(1),
             "number of nearest neighbors of Mixed KSG");
  add_number(
      *command, "--label-scale", request.ksg.label_scale, above(0),
      "distance between two classes in Mixed KSG; default: 2 for unit vectors, otherwise the "
      "widest range of a coordinate");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    auto& asked = arguments->request;
    asked.table.context = open_context(context);
    const bool is_table = take_table(asked.table, asked.embeddings);
    if (is_table != asked.labels.empty()) {
      fail("expected EMBEDDINGS and LABELS, or a table with --label COLUMN");
    }
    const auto result = inference::information_of_arrays(asked, context.logger);
    arguments->json ? print_json(to_json(result)) : print_information(result);
  });
}

}  // namespace projnce::app::mi_command
