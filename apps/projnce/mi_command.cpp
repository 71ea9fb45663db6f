#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/inference/information_report.h"

namespace projnce::app::mi_command {

namespace {

using nlohmann::ordered_json;

const char* const kSummary = "estimate the mutual information of embeddings and labels, in nats";
const char* const kDetails =
    "  projnce mi runs/photos/embeddings.npy runs/photos/labels.npy\n"
    "  projnce mi views.npy labels.npy --instances samples.npy --priors uniform --json\n"
    "\n"
    "Prints lower bounds on I(Z;C), cross-validated over random folds of instances: class\n"
    "centroids and the fitted temperature come from the other folds; embeddings are\n"
    "L2-normalized. The bounds are certified (their expectation is at most I(Z;C)) if the encoder\n"
    "was not trained on these rows. Mixed KSG is an estimate and may be above or below I(Z;C).\n"
    "H(C), the label entropy, is the upper limit.";

constexpr auto kRow = "{:<50} {:>9}  {}\n";

std::string number_text(double value) {
  return fmt::format("{:.4f}", value);
}

/// Prints the bound `key` with its standard error; marks a non-positive bound as not informative.
void print_bound(const ordered_json& bounds, const std::string& key, const std::string& name) {
  const double value = bounds.at(key).get<double>();
  const auto& se = bounds.at(key + "_se");
  auto remark =
      se.is_null() ? std::string("no standard error") : fmt::format("± {:.4f}", se.get<double>());
  if (value <= 0) remark += ", not informative";
  std::cout << fmt::format(kRow, name, number_text(value), remark);
}

void print_bounds(const ordered_json& result) {
  const auto& bounds = result.at("bounds");
  const auto temperature =
      fmt::format("temperature {:.3g}", bounds.at("temperature").get<double>());
  std::cout << fmt::format("\nlower bounds on I(Z;C), nats ({} rows, {} folds, priors: {})\n",
                           bounds.at("rows").get<int64_t>(), result.at("folds").get<int64_t>(),
                           result.at("priors").get<std::string>());
  print_bound(
      bounds, "mi_bound_class_fitted",
      fmt::format("  class form, fitted temperature {:.3g}", bounds.at("tau_fit").get<double>()));
  print_bound(bounds, "mi_bound_class", "  class form, " + temperature);
  print_bound(bounds, "mi_bound_normalized", "  normalized pair form, " + temperature);
  print_bound(bounds, "mi_bound", "  pair form, " + temperature);
}

void print_estimate(const ordered_json& result) {
  std::cout << "\nestimate of I(Z;C) (not a bound), nats\n";
  const auto name = fmt::format("  Mixed KSG, k = {}", result.at("k").get<int64_t>());
  if (result.at("mixed_ksg").is_null()) {
    std::cout << fmt::format("{}: no estimate: {} (try a smaller --k)\n", name,
                             result.at("withheld").get<std::string>());
    return;
  }
  const auto& interval = result.at("interval");
  const auto spread = interval.is_null()
                          ? std::string("too few samples for an interval")
                          : fmt::format("95 % interval {:.4f} to {:.4f}", interval[0].get<double>(),
                                        interval[1].get<double>());
  std::cout << fmt::format(kRow, name, number_text(result.at("mixed_ksg").get<double>()), spread);
}

void print_information(const ordered_json& result) {
  std::cout << fmt::format(
                   "{} samples, {} dimensions, {} classes\n", result.at("samples").get<int64_t>(),
                   result.at("dimensions").get<int64_t>(), result.at("classes").get<int64_t>())
            << fmt::format(kRow, "label entropy H(C), upper limit",
                           number_text(result.at("label_entropy").get<double>()), "nats");
  print_bounds(result);
  print_estimate(result);
  std::cout << "\nThe bounds hold only if the encoder was not trained on these rows.\n";
}

}  // namespace

void add(CLI::App& app, Context& /*context*/) {
  struct Arguments {
    inference::ArrayInformationRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  auto* command = add_command(app, "mi", kSummary, kDetails);
  command->add_option("EMBEDDINGS", request.embeddings, ".npy matrix, one row per sample")
      ->required();
  command->add_option("LABELS", request.labels, ".npy array of integer labels")->required();
  command->add_option("--instances", request.instances,
                      ".npy array of integer sample ids; views of a sample share one id");
  command
      ->add_option(
          "--priors", request.priors,
          "class priors: uniform, estimated (bias-corrected label frequencies of the other "
          "folds), or a .npy file with one probability per class")
      ->default_str(request.priors);
  add_number(*command, "--tau,--temperature", request.temperature, above(0),
             "temperature of the bounds without fitted temperature");
  add_number(*command, "--folds", request.folds, at_least(2), "number of cross-validation folds");
  add_number(*command, "--k", request.ksg.neighbors, at_least(1),
             "number of nearest neighbors of Mixed KSG");
  add_number(
      *command, "--label-scale", request.ksg.label_scale, above(0),
      "distance between two classes in Mixed KSG; default: 2 for unit vectors, otherwise the "
      "widest range of a coordinate");
  add_json_flag(*command, arguments->json);
  command->callback([arguments] {
    const auto result = inference::information_of_arrays(arguments->request);
    arguments->json ? print_json(result) : print_information(result);
  });
}

}  // namespace projnce::app::mi_command
