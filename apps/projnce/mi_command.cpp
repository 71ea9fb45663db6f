#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/pipeline/information_report.h"

namespace projnce::app::mi_command {

namespace {

const char* const kSummary = "how much embeddings know about labels: mutual information in nats";
const char* const kDetails =
    "  projnce mi runs/photos/embeddings.npy runs/photos/labels.npy\n"
    "  projnce mi other.npy labels.npy --k 3 --json\n"
    "\n"
    "Mixed KSG estimates I(Z;C); the entropy of the labels is the most that there is to know. The\n"
    "bounds lie below I(Z;C) but for chance: ProjNCE's, each row against all others, and that of\n"
    "class centroids from one half of the rows on the other. They depend on the temperature.";

std::string estimate_line(const nlohmann::ordered_json& result) {
  constexpr auto kName = "I(Z;C), mixed KSG     ";
  if (result.at("mixed_ksg").is_null()) {
    return fmt::format("{}no estimate: {} (try a smaller --k)\n", kName,
                       result.at("withheld").get<std::string>());
  }
  const auto& interval = result.at("interval");
  const auto spread = interval.is_null()
                          ? std::string("too few samples for an interval")
                          : fmt::format("95 % interval {:.4f} to {:.4f}", interval[0].get<double>(),
                                        interval[1].get<double>());
  return fmt::format("{}{:.4f} nats, {:.1f} % of it; {}; k = {}\n", kName,
                     result.at("mixed_ksg").get<double>(), 100 * result.at("share").get<double>(),
                     spread, result.at("k").get<int64_t>());
}

void print_information(const nlohmann::ordered_json& result) {
  const auto number = [&](const char* key) { return result.at(key).get<double>(); };
  const auto& bounds = result.at("bounds");
  std::cout << fmt::format(
                   "{} samples, {} dimensions, {} classes\n", result.at("samples").get<int64_t>(),
                   result.at("dimensions").get<int64_t>(), result.at("classes").get<int64_t>())
            << fmt::format("label entropy         {:.4f} nats\n", number("label_entropy"))
            << estimate_line(result)
            << fmt::format("bound, ProjNCE        {:.4f} nats at temperature {}\n",
                           bounds.at("projnce").get<double>(),
                           bounds.at("temperature").get<double>())
            << fmt::format("bound, class vectors  {:.4f} nats\n",
                           bounds.at("class_vectors").get<double>());
}

}  // namespace

void add(CLI::App& app, Context& /*context*/) {
  struct Arguments {
    std::filesystem::path embeddings;
    std::filesystem::path labels;
    InformationOptions options;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "mi", kSummary, kDetails);
  command->add_option("EMBEDDINGS", arguments->embeddings, ".npy matrix, a row for each sample")
      ->required();
  command->add_option("LABELS", arguments->labels, ".npy list of whole numbers")->required();
  add_number(*command, "--k", arguments->options.neighbors, at_least(1), "number of neighbors");
  add_number(*command, "--temperature", arguments->options.temperature, above(0),
             "temperature of the bounds");
  add_number(*command, "--label-scale", arguments->options.label_scale, above(0),
             "distance between two classes; default: 2 for unit rows, else the widest range of a "
             "coordinate");
  add_json_flag(*command, arguments->json);
  command->callback([arguments] {
    const auto result =
        information_of_arrays(arguments->embeddings, arguments->labels, arguments->options);
    arguments->json ? print_json(result) : print_information(result);
  });
}

}  // namespace projnce::app::mi_command
