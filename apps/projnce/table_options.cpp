#include "apps/projnce/table_options.h"

#include <string>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"
#include "projnce/io/table/data_table.h"

namespace projnce::app {

namespace {

const char* const kGroup = "Columns of a table (.csv, .tsv, .jsonl)";

void add_column(CLI::App& command, const char* name, std::string& target, const char* help) {
  command.add_option(name, target, help)->type_name("COLUMN")->group(kGroup);
}

void add_columns(CLI::App& command, const char* name, std::vector<std::string>& target,
                 const char* help) {
  command.add_option(name, target, help)->type_name("COLUMN")->delimiter(',')->group(kGroup);
}

}  // namespace

void add_row_options(CLI::App& command, inference::TableRequest& request) {
  auto& columns = request.columns;
  add_column(command, "--label", columns.label, "labels: any text or numbers");
  add_columns(command, "--votes", columns.votes,
              "columns with the labels of several annotators, instead of --label");
  add_column(command, "--image", columns.image, "paths of images, relative to the table");
  add_column(command, "--audio", columns.audio, "paths of audio files, relative to the table");
  add_column(command, "--id", columns.id, "ids, different in every row");
  add_columns(command, "--feature-columns", columns.embedding,
              "columns of numbers or arrays, or NAME for NAME_0, NAME_1, ... (default: embedding)");
}

void add_table_options(CLI::App& command, inference::TableRequest& request) {
  auto& columns = request.columns;
  add_row_options(command, request);
  add_column(command, "--text", columns.text, "texts to show");
  add_column(command, "--split", columns.split, "splits, such as train and test");
  add_column(command, "--group", columns.group, "groups of samples");
  command.add_option("--run", request.run, "run that embeds the column --image or --audio")
      ->type_name("RUN")
      ->group(kGroup);
}

bool has_table_options(const inference::TableRequest& request) {
  const auto& c = request.columns;
  for (const auto* name : {&c.label, &c.text, &c.image, &c.audio, &c.id, &c.split, &c.group}) {
    if (!name->empty()) return true;
  }
  return !c.embedding.empty() || !c.votes.empty() || !request.run.empty();
}

bool take_table(inference::TableRequest& request, const std::filesystem::path& input) {
  if (io::is_table_name(input)) {
    request.table = input;
    return true;
  }
  if (!has_table_options(request)) return false;
  if (input.empty()) fail("expected a table (.csv, .tsv or .jsonl) for the options of its columns");
  fail(io::printable(input.native()),
       " is not a table (.csv, .tsv or .jsonl), expected one for the options of its columns");
}

dataset::TableOptions table_dataset_options(const inference::TableRequest& request) {
  if (!request.run.empty()) {
    fail(Hint{"write the embeddings with: projnce embed RUN TABLE -o e.npy"},
         "--run does not apply to this command, expected --embeddings FILE");
  }
  return {.columns = request.columns, .embeddings = request.embeddings};
}

}  // namespace projnce::app
