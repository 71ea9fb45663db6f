#include "apps/projnce/table_options.h"

#include "apps/projnce/options.h"
#include "projnce/core/error.h"
#include "projnce/io/printable.h"
#include "projnce/io/table/data_table.h"

namespace projnce::app {

void add_table_options(CLI::App& command, inference::TableRequest& request) {
  const char* group = "Columns of a table (.csv, .tsv, .jsonl)";
  auto& columns = request.columns;
  const auto add = [&](const char* name, std::string& target, const char* help) {
    command.add_option(name, target, help)->type_name("COLUMN")->group(group);
  };
  add("--label", columns.label, "labels: any text or numbers");
  add("--text", columns.text, "texts to show");
  add("--image", columns.image, "paths of images, relative to the table");
  add("--audio", columns.audio, "paths of audio files, relative to the table");
  add("--id", columns.id, "ids, different in every row");
  add("--split", columns.split, "splits, such as train and test");
  add("--group", columns.group, "groups of samples");
  command
      .add_option("--feature-columns", columns.embedding,
                  "columns of numbers or arrays, or NAME for NAME_0, NAME_1, ... (default: "
                  "embedding)")
      ->type_name("COLUMN")
      ->delimiter(',')
      ->group(group);
  command.add_option("--run", request.run, "run that embeds the column --image or --audio")
      ->type_name("RUN")
      ->group(group);
  add_device(command, request.device);
}

bool has_table_options(const inference::TableRequest& request) {
  const auto& c = request.columns;
  for (const auto* name : {&c.label, &c.text, &c.image, &c.audio, &c.id, &c.split, &c.group}) {
    if (!name->empty()) return true;
  }
  return !c.embedding.empty() || !request.run.empty();
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

}  // namespace projnce::app
