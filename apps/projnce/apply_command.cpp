#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/error.h"
#include "projnce/dataset/corrections.h"
#include "projnce/io/printable.h"

namespace projnce::app::apply_command {

namespace {

namespace fs = std::filesystem;

const char* const kSummary = "apply corrections of labels to a table";
const char* const kDetails =
    "  projnce apply corrections.csv --data data.csv --label intent -o clean.csv\n"
    "  projnce apply issues.csv --issues drop --data data.csv --label intent --embeddings e.npy "
    "\\\n"
    "      -o clean.csv\n"
    "\n"
    "CORRECTIONS has the columns row (from 0) or id, action (keep, relabel or drop) and label "
    "(the\n"
    "new one); with a column given_label, the labels of the table must be those. --issues applies\n"
    "the issues of an audit without checking them. The result has the format of the table; rows\n"
    "that are kept are copied byte for byte. The table is not modified.";

struct Arguments {
  fs::path corrections;
  fs::path data;
  dataset::TableColumns columns = {};
  dataset::UncheckedIssues issues = dataset::UncheckedIssues::kReject;
  fs::path embeddings = {};
  fs::path output;
  bool json = false;
};

/// Throws if writing `output` would replace one of the files that are read.
void check_output(const Arguments& arguments, const fs::path& output) {
  for (const auto& input : {arguments.corrections, arguments.data, arguments.embeddings}) {
    std::error_code ignored;
    if (!fs::equivalent(input, output, ignored)) continue;
    fail("the output ", io::printable(output.native()), " is an input, expected another file");
  }
}

void apply(const Arguments& arguments) {
  check_output(arguments, arguments.output);
  const auto rows_file = fs::path(arguments.output).replace_extension(".npy");
  const bool has_embeddings = !arguments.embeddings.empty();
  if (has_embeddings) check_output(arguments, rows_file);
  const auto table = dataset::read_labeled_table(arguments.data, arguments.columns);
  if (fs::path(arguments.output).extension() != arguments.data.extension()) {
    fail("the output ", io::printable(arguments.output.native()), " does not end in ",
         arguments.data.extension().string(), ", the format of the table");
  }
  const auto corrections =
      dataset::read_corrections(arguments.corrections, table, arguments.issues);
  // First, since they may not fit to the table.
  if (has_embeddings) {
    dataset::write_remaining_rows(rows_file, arguments.embeddings, table, corrections);
  }
  const auto counts = dataset::write_corrected_table(arguments.output, table, corrections);
  if (arguments.json) {
    nlohmann::ordered_json json = {{"kept", counts.kept},
                                   {"relabeled", counts.relabeled},
                                   {"dropped", counts.dropped},
                                   {"files", {arguments.output.string()}}};
    if (has_embeddings) json["files"].push_back(rows_file.string());
    return print_json(json);
  }
  std::cout << fmt::format("{} rows kept, {} relabeled, {} dropped\n{}\n", counts.kept,
                           counts.relabeled, counts.dropped, arguments.output.string());
  if (has_embeddings) std::cout << rows_file.string() << '\n';
}

}  // namespace

void add(CLI::App& app, Context& /*context*/) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "apply", kSummary, kDetails);
  command->add_option("CORRECTIONS", arguments->corrections, "table of corrections, or issues.csv")
      ->required();
  command->add_option("--data", arguments->data, "table to correct (.csv, .tsv, .jsonl)")
      ->required();
  command->add_option("--label", arguments->columns.label, "column of the labels")
      ->type_name("COLUMN")
      ->required();
  command->add_option("--id", arguments->columns.id, "column of the ids")->type_name("COLUMN");
  add_choice(
      *command, "--issues", arguments->issues,
      {{"drop", dataset::UncheckedIssues::kDrop}, {"relabel", dataset::UncheckedIssues::kRelabel}},
      "drop the issues of an audit, or relabel them as predicted");
  command->add_option("--embeddings", arguments->embeddings,
                      ".npy matrix of the table's rows; the remaining rows are written next to the "
                      "output, with the extension .npy");
  command->add_option("-o,--output", arguments->output, "table to write")->required();
  add_json_flag(*command, arguments->json);
  command->callback([arguments] { apply(*arguments); });
}

}  // namespace projnce::app::apply_command
