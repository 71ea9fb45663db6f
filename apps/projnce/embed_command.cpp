#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/inference/embed.h"

namespace projnce::app::embed_command {

namespace {

const char* const kSummary = "embed a dataset, folder, archive or files into a .npy matrix";
const char* const kDetails =
    "  projnce embed runs/photos other_photos -o other.npy\n"
    "  projnce embed runs/photos a.jpg b.png -o two.npy\n"
    "  projnce embed runs/fashion fashion-mnist --split test -o test.npy\n"
    "  projnce embed runs/photos --split test -o test.npy   the run's own test split\n"
    "\n"
    "The matrix has one row per sample. NAME.names.txt next to it lists the sample names, one per\n"
    "row; labels, if known, are written to NAME.labels.npy.";

nlohmann::ordered_json to_json(const inference::EmbedResult& result) {
  nlohmann::ordered_json json = {{"rows", result.rows},
                                 {"dim", result.dim},
                                 {"embeddings", result.embeddings.string()},
                                 {"names", result.names.string()}};
  if (!result.labels.empty()) json["labels"] = result.labels.string();
  return json;
}

}  // namespace

void add(CLI::App& app, Context& context) {
  struct Arguments {
    inference::EmbedRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "embed", kSummary, kDetails);
  command->add_option("RUN", arguments->request.run, "directory of the run")->required();
  auto* input =
      command->add_option("INPUT", arguments->request.inputs,
                          "dataset name, folder, archive or files (default: the run's own data)");
  command
      ->add_option("--data", arguments->request.data,
                   "current path of the run's own data, if it was moved")
      ->excludes(input);
  command->add_option("-o,--output", arguments->request.output, ".npy file to write")->required();
  const std::vector<std::string> splits = {"train", "test", "all"};
  auto* split = add_choice(*command, "--split", arguments->request.split, splits,
                           "split of the dataset to embed");
  auto* former =
      add_choice(*command, "--part", arguments->request.split, splits, "former name of --split")
          ->group("");  // not in the help text
  add_device(*command, arguments->request.device);
  add_json_flag(*command, arguments->json);
  command->callback([arguments, split, former, &context] {
    if (former->count() > 0) {
      if (split->count() > 0) {
        fail(Hint{"remove --part, which is deprecated"},
             "--part and --split are both set, expected one of them");
      }
      context.logger->warn("--part is deprecated, use --split");
    }
    arguments->request.context = open_context(context);
    const auto result = inference::embed_inputs(arguments->request, context.logger);
    if (arguments->json) {
      print_json(to_json(result));
    } else {
      std::cout << fmt::format("wrote {} of dimension {} to {}\n",
                               counted(result.rows, "embedding"), result.dim,
                               result.embeddings.string());
    }
  });
}

}  // namespace projnce::app::embed_command
