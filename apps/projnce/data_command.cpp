#include <fmt/format.h>

#include <iostream>
#include <map>
#include <system_error>

#include "apps/projnce/command.h"
#include "apps/projnce/table_options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/data/inspect_data.h"
#include "projnce/io/printable.h"

namespace projnce::app::data_command {

namespace {

using nlohmann::ordered_json;

constexpr double kSecondsInAnHour = 3600;

ordered_json list_datasets(const dataset::OpenContext& context) {
  auto rows = ordered_json::array();
  for (const auto& dataset : dataset::describe_datasets()) {
    auto places = ordered_json::array();
    std::string found;
    for (const auto& place : dataset::dataset_search_paths(dataset.name, context)) {
      const auto shown = io::printable(place.native());
      places.push_back(shown);
      std::error_code ignored;  // an inaccessible path counts as missing
      if (found.empty() && std::filesystem::exists(place, ignored)) found = shown;
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
      std::cout << fmt::format("{:<16} not found at {}\n", "", place.get<std::string>());
    }
    std::cout << fmt::format("{:<16} source: {}\n", "", row.at("source").get<std::string>());
  }
}

template <class T>
ordered_json to_json(const dataset::Spread<T>& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

ordered_json to_json(const std::map<int, int64_t>& counts) {
  auto object = ordered_json::object();
  for (const auto& [number, samples] : counts) object[std::to_string(number)] = samples;
  return object;
}

ordered_json to_json(const dataset::SplitInfo& split, SampleKind kind) {
  auto classes = ordered_json::object();
  for (size_t c = 0; c < split.per_class.size(); ++c) {
    classes[split.class_names[c]] = split.per_class[c];
  }
  ordered_json object = {{"samples", split.samples}, {"classes", classes}};
  switch (kind) {
    case SampleKind::kImage:
      object["height"] = to_json(split.height);
      object["width"] = to_json(split.width);
      object["channels"] = to_json(split.channels);
      break;
    case SampleKind::kAudio:
      object["rates"] = to_json(split.rates);
      object["seconds"] = to_json(split.seconds);
      object["hours"] = split.total_seconds / kSecondsInAnHour;
      break;
    case SampleKind::kVector:
      object["dimension"] = split.dimension;
      break;
  }
  object["corrupt"] = ordered_json::array();
  for (const auto& sample : split.corrupt) {
    object["corrupt"].push_back({{"sample", sample.name}, {"reason", sample.reason}});
  }
  return object;
}

ordered_json to_json(const data::Inspection& inspection) {
  const auto& info = inspection.info;
  ordered_json object = {
      {"kind", info.kind == SampleKind::kAudio ? "audio" : concat(kind_name(info.kind), "s")},
      {"layout", {{"name", info.layout.name}, {"reason", info.layout.reason}}},
      {"classes", info.class_names},
      {"valid", inspection.valid()},
      {"warnings", info.warnings},
      {"remarks", info.remarks},
      {"unread_files", info.unread_files}};
  for (const auto& [name, split] : info.splits()) object[name] = to_json(*split, info.kind);
  return object;
}

ordered_json to_json(const std::vector<dataset::ChecksumVerdict>& verdicts) {
  auto rows = ordered_json::array();
  for (const auto& verdict : verdicts) {
    rows.push_back({{"file", verdict.file},
                    {"result", dataset::match_name(verdict.match)},
                    {"sentence", verdict.sentence}});
  }
  return rows;
}

/// Formats a range as "16 to 64 (median 32)", or as one value if min equals max.
std::string format_range(const std::string& min, const std::string& median,
                         const std::string& max) {
  return min == max ? max : fmt::format("{} to {} (median {})", min, max, median);
}

std::string describe_images(const dataset::SplitInfo& split) {
  const auto size = [](int width, int height) { return fmt::format("{}x{}", width, height); };
  const auto sizes = format_range(size(split.width.min, split.height.min),
                                  size(split.width.median, split.height.median),
                                  size(split.width.max, split.height.max));
  auto text = fmt::format(", {} pixels", sizes);
  for (const auto& [channels, samples] : split.channels) {
    text += fmt::format(", {} {}", samples, channels == 1 ? "gray" : "in color");
  }
  return text;
}

std::string describe_clips(const dataset::SplitInfo& split) {
  const auto length = [](double seconds) { return fmt::format("{:.2f}", seconds); };
  auto text = fmt::format(", {} s, {} in total",
                          format_range(length(split.seconds.min), length(split.seconds.median),
                                       length(split.seconds.max)),
                          format_duration(split.total_seconds));
  for (const auto& [rate, samples] : split.rates) {
    text += fmt::format(", {} at {} Hz", samples, rate);
  }
  return text;
}

/// Sizes of the samples; empty if no sample could be read.
std::string describe_samples(const dataset::SplitInfo& split, SampleKind kind) {
  if (split.samples == static_cast<int64_t>(split.corrupt.size())) return {};
  switch (kind) {
    case SampleKind::kImage:
      return describe_images(split);
    case SampleKind::kAudio:
      return describe_clips(split);
    case SampleKind::kVector:
      break;
  }
  return ", " + counted(split.dimension, "dimension");
}

void print_classes(const dataset::DatasetInfo& info) {
  if (info.class_names.empty()) return;
  const char* first = info.reference ? "reference" : "train";
  std::cout << fmt::format("\n{:<24} {:>9} {:>8}\n", "class", first, "test");
  for (size_t c = 0; c < info.class_names.size(); ++c) {
    std::cout << fmt::format("{:<24} {:>9} {:>8}\n", info.class_names[c],
                             info.labeled().per_class[c], info.test.per_class[c]);
  }
}

/// Prints what is known before any sample is read: layout, warnings and notes.
void print_notes(const dataset::DatasetInfo& info, int width) {
  const auto print = [&](const char* what, const std::string& text) {
    std::cout << fmt::format("{:<{}} {}\n", what, width, text);
  };
  if (!info.layout.name.empty()) {
    print("layout", fmt::format("{} ({})", info.layout.name, info.layout.reason));
  }
  for (const auto& warning : info.warnings) print("warning", warning);
  for (const auto& remark : info.remarks) print("note", remark);
}

void print_info(const dataset::DatasetInfo& info) {
  std::cout << fmt::format("{} in {}\n", counted(info.samples(), kind_name(info.kind)),
                           counted(info.class_names.size(), "class", "classes"));
  for (const auto& [name, split] : info.splits()) {
    std::cout << fmt::format("{:<10} {}{}", name, counted(split->samples, "sample"),
                             describe_samples(*split, info.kind));
    if (!split->corrupt.empty()) std::cout << fmt::format(", {} corrupt", split->corrupt.size());
    std::cout << '\n';
  }
  print_notes(info, 10);
  print_classes(info);
}

void print_verification(const data::Inspection& inspection) {
  const auto& info = inspection.info;
  print_notes(info, 8);
  for (const auto& [name, split] : info.splits()) {
    for (const auto& sample : split->corrupt) std::cout << "corrupt  " << sample.reason << '\n';
  }
  int64_t official = 0;
  for (const auto& verdict : inspection.checksums) {
    std::cout << fmt::format("{:<8} {}\n", dataset::match_name(verdict.match), verdict.sentence);
    if (verdict.match == dataset::OfficialMatch::kMatches) ++official;
  }
  if (info.corrupt() > 0 && !info.class_names.empty()) {
    std::cout << (inspection.trainable()
                      ? "'projnce train' skips the corrupt samples with a warning\n"
                      : "'projnce train' rejects this many corrupt samples unless --max-corrupt "
                        "allows them\n");
  }
  std::cout << fmt::format("{} read, {} corrupt", counted(info.samples(), "sample"),
                           info.corrupt());
  if (!inspection.checksums.empty()) {
    std::cout << fmt::format("; {} of {} match the official checksums, {} corrupt", official,
                             counted(static_cast<int64_t>(inspection.checksums.size()), "file"),
                             inspection.corrupt_files());
  }
  std::cout << '\n';
}

struct Arguments {
  data::InspectRequest request;
  inference::TableRequest table;
  bool json = false;
};

/// Adds the options that `info` and `verify` share.
std::shared_ptr<Arguments> add_shared_options(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  command
      .add_option("WHAT", arguments->request.what, "dataset name, folder, archive, table or file")
      ->required();
  add_layout_option(command, arguments->request.layout);
  command.add_option("--embeddings", arguments->table.embeddings,
                     "matrix of the rows of a table (.npy, .safetensors)");
  add_table_options(command, arguments->table);
  command.add_option("--dataset", arguments->request.layout)
      ->group("");  // name of --layout before 0.2
  add_json_flag(command, arguments->json);
  return arguments;
}

data::Inspection inspect(Arguments& arguments, Context& context) {
  auto& request = arguments.request;
  request.context = open_context(context);
  if (take_table(arguments.table, request.what)) {
    request.table = table_dataset_options(arguments.table);
  }
  return data::inspect_data(request);
}

void add_list(CLI::App& command, Context& context) {
  auto json = std::make_shared<bool>(false);
  auto* list = command.add_subcommand("list", "list the known datasets and their search paths");
  add_json_flag(*list, *json);
  list->callback([json, &context] {
    const auto result = list_datasets(open_context(context));
    *json ? print_json(result) : print_list(result);
  });
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto* command = add_command(app, "data", "list, inspect and verify datasets",
                              "  projnce data list\n"
                              "  projnce data info photos --sheet photos.html\n"
                              "  projnce data verify photos");
  command->require_subcommand(1);
  add_list(*command, context);

  auto* info =
      command->add_subcommand("info", "show sample counts, sizes and classes of a dataset");
  auto info_arguments = add_shared_options(*info);
  info->add_option("--sheet", info_arguments->request.sheet,
                   "write sample images of each class to FILE.html or FILE.png");
  info->callback([info_arguments, &context] {
    const auto result = inspect(*info_arguments, context);
    info_arguments->json ? print_json(to_json(result)) : print_info(result.info);
  });

  auto* verify = command->add_subcommand(
      "verify", "read every sample and list the corrupt ones; exit status 2 if there are any");
  auto verify_arguments = add_shared_options(*verify);
  verify_arguments->request.checksums = true;
  verify->callback([verify_arguments, &context] {
    const auto result = inspect(*verify_arguments, context);
    if (verify_arguments->json) {
      auto object = to_json(result);
      object["checksums"] = to_json(result.checksums);
      print_json(object);
    } else {
      print_verification(result);
    }
    if (!result.valid()) context.exit_status = 2;
  });
}

}  // namespace projnce::app::data_command
