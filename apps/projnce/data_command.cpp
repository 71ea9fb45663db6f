#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/core/error.h"
#include "projnce/pipeline/inspect_data.h"

namespace projnce::app {

namespace {

using nlohmann::ordered_json;

ordered_json list_datasets(const OpenContext& context) {
  auto rows = ordered_json::array();
  for (const auto& dataset : describe_datasets()) {
    auto places = ordered_json::array();
    std::string found;
    for (const auto& place : dataset_places(dataset.name, context)) {
      places.push_back(place.string());
      if (found.empty() && std::filesystem::is_directory(place)) found = place.string();
    }
    rows.push_back({{"name", dataset.name},
                    {"summary", dataset.summary},
                    {"found", found},
                    {"looked_for", places},
                    {"source", dataset.source}});
  }
  return {{"datasets", rows}};
}

void print_list(const ordered_json& list) {
  for (const auto& row : list.at("datasets")) {
    std::cout << fmt::format("{:<16} {}\n", row.at("name").get<std::string>(),
                             row.at("summary").get<std::string>());
    const auto found = row.at("found").get<std::string>();
    if (!found.empty()) {
      std::cout << fmt::format("{:<16} found at {}\n", "", found);
      continue;
    }
    for (const auto& place : row.at("looked_for")) {
      std::cout << fmt::format("{:<16} not at {}\n", "", place.get<std::string>());
    }
    std::cout << fmt::format("{:<16} from {}\n", "", row.at("source").get<std::string>());
  }
}

ordered_json to_json(const PartInfo& part, const std::vector<std::string>& names) {
  ordered_json classes = ordered_json::object();
  for (size_t c = 0; c < names.size(); ++c) classes[names[c]] = part.per_class[c];
  ordered_json damaged = ordered_json::array();
  for (const auto& sample : part.damaged) {
    damaged.push_back({{"sample", sample.name}, {"reason", sample.reason}});
  }
  const auto spread = [](const Spread& s) {
    return ordered_json{{"min", s.min}, {"median", s.median}, {"max", s.max}};
  };
  ordered_json channels = ordered_json::object();
  for (const auto& [count, samples] : part.channels) channels[std::to_string(count)] = samples;
  return {{"samples", part.samples},     {"classes", classes},   {"height", spread(part.height)},
          {"width", spread(part.width)}, {"channels", channels}, {"damaged", damaged}};
}

ordered_json to_json(const DatasetInfo& info) {
  return {{"classes", info.class_names},
          {"intact", info.intact()},
          {"train", to_json(info.train, info.class_names)},
          {"test", to_json(info.test, info.class_names)}};
}

void print_part(const char* name, const PartInfo& part) {
  std::cout << fmt::format("{:<6} {} samples, {}x{} to {}x{} pixels (median {}x{})", name,
                           part.samples, part.width.min, part.height.min, part.width.max,
                           part.height.max, part.width.median, part.height.median);
  for (const auto& [channels, samples] : part.channels) {
    std::cout << fmt::format(", {} {}", samples, channels == 1 ? "grey" : "in colour");
  }
  std::cout << '\n';
}

void print_info(const DatasetInfo& info) {
  print_part("train", info.train);
  print_part("test", info.test);
  if (!info.class_names.empty())
    std::cout << fmt::format("\n{:<24} {:>8} {:>8}\n", "class", "train", "test");
  for (size_t c = 0; c < info.class_names.size(); ++c) {
    std::cout << fmt::format("{:<24} {:>8} {:>8}\n", info.class_names[c], info.train.per_class[c],
                             info.test.per_class[c]);
  }
}

void print_damage(const DatasetInfo& info) {
  for (const auto* part : {&info.train, &info.test}) {
    for (const auto& sample : part->damaged) std::cout << "damaged  " << sample.reason << '\n';
  }
  const auto damaged = info.train.damaged.size() + info.test.damaged.size();
  std::cout << fmt::format("{} samples read, {} damaged\n", info.train.samples + info.test.samples,
                           damaged);
}

struct Arguments {
  InspectRequest request;
  bool json = false;
};

/// Options that `info` and `verify` share.
std::shared_ptr<Arguments> add_inspection(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  command.add_option("WHAT", arguments->request.what, "a dataset's name, a folder or a file")
      ->required();
  command.add_option("--dataset", arguments->request.dataset, "whose layout the folder has");
  add_json_flag(command, arguments->json);
  return arguments;
}

void add_list(CLI::App& command, Context& context) {
  auto json = std::make_shared<bool>(false);
  auto* list = command.add_subcommand("list", "the datasets projnce knows and where it looks");
  add_json_flag(*list, *json);
  list->callback([json, &context] {
    const auto result = list_datasets(open_context(context));
    *json ? print_json(result) : print_list(result);
  });
}

}  // namespace

void add_data_command(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, "data", "datasets: which there are, what one holds, what is damaged",
                  "  projnce data list\n"
                  "  projnce data info photos\n"
                  "  projnce data verify photos");
  command->require_subcommand(1);
  add_list(*command, context);

  auto* info = command->add_subcommand("info", "what a dataset holds: counts, sizes, classes");
  auto info_arguments = add_inspection(*info);
  info->callback([info_arguments, &context] {
    info_arguments->request.context = open_context(context);
    const auto result = inspect_data(info_arguments->request);
    info_arguments->json ? print_json(to_json(result)) : print_info(result);
  });

  auto* verify = command->add_subcommand(
      "verify", "reads every sample and lists the damaged ones; exit status 0 only if all is well");
  auto verify_arguments = add_inspection(*verify);
  verify->callback([verify_arguments, &context] {
    verify_arguments->request.context = open_context(context);
    const auto result = inspect_data(verify_arguments->request);
    verify_arguments->json ? print_json(to_json(result)) : print_damage(result);
    if (!result.intact()) context.exit_status = 2;
  });
}

}  // namespace projnce::app
