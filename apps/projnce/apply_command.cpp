#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/corrected_folder.h"
#include "projnce/dataset/corrections.h"
#include "projnce/io/printable.h"
#include "projnce/io/table/data_table.h"

namespace projnce::app::apply_command {

namespace {

namespace fs = std::filesystem;

const char* const kSummary = "apply corrections of labels to a table or class folders";
const char* const kDetails =
    "  projnce apply corrections.csv --data data.csv --label intent -o clean.csv\n"
    "  projnce apply issues.csv --issues drop --data data.csv --label intent --embeddings e.npy "
    "\\\n"
    "      -o clean.csv\n"
    "  projnce apply corrections.csv --data photos -o clean     a folder of links\n"
    "  projnce apply corrections.csv --data photos --in-place   move files; writes "
    "photos.undo.csv\n"
    "  projnce apply photos.undo.csv --data photos --undo       move them back\n"
    "\n"
    "CORRECTIONS has the columns row (from 0) or id for a table, sample for a folder; action "
    "(keep,\n"
    "relabel or drop) and label (the new one). With given_label or data_version, the data must\n"
    "have these labels or this fingerprint. --issues applies the issues of an audit without\n"
    "checking them. A corrected table has the format of the original; rows that are kept are\n"
    "copied byte for byte. Without --in-place, the data is not modified.";

struct Arguments {
  fs::path corrections;
  fs::path data;
  dataset::TableColumns columns = {};
  dataset::UncheckedIssues issues = dataset::UncheckedIssues::kReject;
  fs::path embeddings = {};
  fs::path output;
  bool in_place = false;
  bool undo = false;
  bool json = false;
};

void report(const Arguments& arguments, const dataset::CorrectionCounts& counts, const char* what,
            const std::vector<fs::path>& files) {
  nlohmann::ordered_json json = {{"kept", counts.kept},
                                 {"relabeled", counts.relabeled},
                                 {"dropped", counts.dropped},
                                 {"files", nlohmann::ordered_json::array()}};
  for (const auto& file : files) json["files"].push_back(file.string());
  if (arguments.json) return print_json(json);
  std::cout << fmt::format("{} kept, {} relabeled, {} dropped\n", counted(counts.kept, what),
                           counts.relabeled, counts.dropped);
  for (const auto& file : files) std::cout << file.string() << '\n';
}

/// Throws if writing `output` would replace one of the files that are read.
void check_output(const Arguments& arguments, const fs::path& output) {
  for (const auto& input : {arguments.corrections, arguments.data, arguments.embeddings}) {
    std::error_code ignored;
    if (!fs::equivalent(input, output, ignored)) continue;
    fail("the output ", io::printable(output.native()), " is an input, expected another file");
  }
}

void apply_to_table(const Arguments& arguments) {
  if (arguments.in_place || arguments.undo) {
    fail("--in-place and --undo are for folders, expected -o for a table");
  }
  if (arguments.output.empty()) fail("expected an output file, such as -o clean.csv");
  if (arguments.columns.label.empty() && arguments.columns.votes.empty()) {
    fail("expected --label COLUMN, the labels of ", io::printable(arguments.data.native()));
  }
  check_output(arguments, arguments.output);
  const auto rows_file = fs::path(arguments.output).replace_extension(".npy");
  const bool has_embeddings = !arguments.embeddings.empty();
  if (has_embeddings) check_output(arguments, rows_file);
  const auto table = dataset::read_labeled_table(arguments.data, arguments.columns);
  if (fs::path(arguments.output).extension() != arguments.data.extension()) {
    fail("the output ", io::printable(arguments.output.native()), " does not end in ",
         arguments.data.extension().string(), ", the format of the table");
  }
  const auto corrections = dataset::read_corrections(
      arguments.corrections, dataset::corrected_samples(table), arguments.issues);
  std::vector<fs::path> files = {arguments.output};
  // First, since they may not fit to the table.
  if (has_embeddings) {
    dataset::write_remaining_rows(rows_file, arguments.embeddings, table, corrections);
    files.push_back(rows_file);
  }
  report(arguments, dataset::write_corrected_table(arguments.output, table, corrections), "row",
         files);
}

void undo(const Arguments& arguments) {
  if (arguments.in_place || !arguments.output.empty()) {
    fail("--undo moves files back, expected neither --in-place nor -o");
  }
  const auto moved = dataset::undo_moves(arguments.data, arguments.corrections);
  if (arguments.json) return print_json({{"moved_back", moved}});
  std::cout << counted(moved, "file") << " moved back\n";
}

void apply_to_folder(const Arguments& arguments) {
  if (!arguments.columns.label.empty() || !arguments.columns.votes.empty() ||
      !arguments.columns.id.empty() || !arguments.embeddings.empty()) {
    fail("--label, --votes, --id and --embeddings are for tables (.csv, .tsv, .jsonl), and ",
         io::printable(arguments.data.native()), " is not one");
  }
  if (arguments.undo) return undo(arguments);
  if (arguments.in_place != arguments.output.empty()) {
    fail("expected either -o FOLDER, a new folder of links, or --in-place");
  }
  const auto corrected =
      dataset::correct_folder(arguments.data, arguments.corrections, arguments.issues);
  if (arguments.in_place) {
    std::error_code ignored;
    if (!fs::equivalent(corrected.folder, arguments.data, ignored)) {
      fail("the class folders are in ", io::printable(corrected.folder.native()),
           ", expected that folder as --data");
    }
    dataset::move_corrected_files(corrected);
    return report(arguments, corrected.counts, "file", {dataset::undo_file_of(corrected.folder)});
  }
  dataset::link_corrected_files(arguments.output, corrected);
  report(arguments, corrected.counts, "file", {arguments.output});
}

}  // namespace

void add(CLI::App& app, Context& /*context*/) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "apply", kSummary, kDetails);
  command
      ->add_option("CORRECTIONS", arguments->corrections,
                   "table of corrections, or the issues of an audit")
      ->required();
  command
      ->add_option("--data", arguments->data,
                   "table (.csv, .tsv, .jsonl) or class folders to correct")
      ->required();
  command->add_option("--label", arguments->columns.label, "column of the labels of a table")
      ->type_name("COLUMN");
  command
      ->add_option("--votes", arguments->columns.votes,
                   "columns of the labels of several annotators; all are relabeled")
      ->type_name("COLUMN")
      ->delimiter(',');
  command->add_option("--id", arguments->columns.id, "column of the ids of a table")
      ->type_name("COLUMN");
  add_choice(
      *command, "--issues", arguments->issues,
      {{"drop", dataset::UncheckedIssues::kDrop}, {"relabel", dataset::UncheckedIssues::kRelabel}},
      "drop the issues of an audit, or relabel them as predicted");
  command->add_option("--embeddings", arguments->embeddings,
                      ".npy matrix of the table's rows; the remaining rows are written next to the "
                      "output, with the extension .npy");
  command->add_option("-o,--output", arguments->output, "table or folder of links to write");
  command->add_flag("--in-place", arguments->in_place,
                    "move files of class folders, dropped ones to FOLDER.dropped; writes "
                    "FOLDER.undo.csv");
  command->add_flag("--undo", arguments->undo, "move the files of an undo file back");
  add_json_flag(*command, arguments->json);
  command->callback([arguments] {
    if (io::is_table_name(arguments->data)) return apply_to_table(*arguments);
    apply_to_folder(*arguments);
  });
}

}  // namespace projnce::app::apply_command
