#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/inference/embedding_map.h"

namespace projnce::app::tsne_command {

namespace {

const char* const kSummary = "project embeddings to 2-D with t-SNE or PCA";
const char* const kDetails =
    "  projnce tsne runs/photos -o map.svg                       the run's test samples\n"
    "  projnce tsne e.npy --labels l.npy -o map.png -o map.npy   embeddings of any program\n"
    "  projnce tsne data.csv --label intent --embeddings e.npy -o map.html\n"
    "  projnce tsne e.npy --method pca -o pca.html\n"
    "\n"
    "The file extension selects the output: .npy (coordinates), or .svg, .png or .html (scatter\n"
    "plot colored by label). The Kullback-Leibler divergence measures how well t-SNE preserves\n"
    "neighborhoods; smaller is better.";

nlohmann::ordered_json to_json(const inference::MapResult& result) {
  nlohmann::ordered_json json = {{"samples", result.samples},
                                 {"method", result.tsne ? "tsne" : "pca"}};
  if (result.tsne) {
    json["perplexity"] = result.tsne->perplexity;
    json["iterations"] = result.tsne->iterations;
    json["kl"] = result.tsne->divergence;
  }
  json["seconds"] = result.seconds;
  json["files"] = nlohmann::ordered_json::array();
  for (const auto& file : result.files) json["files"].push_back(file.string());
  return json;
}

void print_map(const inference::MapResult& result) {
  if (result.tsne) {
    std::cout << fmt::format("KL divergence {:.4f} after {}, perplexity {:.3g}\n",
                             result.tsne->divergence, counted(result.tsne->iterations, "iteration"),
                             result.tsne->perplexity);
  }
  std::cout << fmt::format("{} in {:.1f} s\n", counted(result.samples, "sample"), result.seconds);
  for (const auto& file : result.files) std::cout << file.string() << '\n';
}

}  // namespace

void add(CLI::App& app, Context& context) {
  struct Arguments {
    inference::MapRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  auto& tsne = request.tsne;
  auto* command = add_command(app, "tsne", kSummary, kDetails);
  command->add_option("EMBEDDINGS", request.input, ".npy matrix, table, or the directory of a run")
      ->required();
  command->add_option("--embeddings", request.table.embeddings,
                      "matrix of the rows of a table (.npy, .safetensors)");
  add_table_options(*command, request.table);
  command->add_option("--labels", request.labels, ".npy array of labels, for the colors");
  command->add_option("-o,--output", request.outputs,
                      "file to write; repeatable (default: RUN/tsne.npy)");
  add_choice(*command, "--method", request.method,
             {{"tsne", inference::MapMethod::kTsne}, {"pca", inference::MapMethod::kPca}},
             "projection method");
  add_number(*command, "--perplexity", tsne.perplexity, at_least(1),
             "effective number of neighbors; default: 30, fewer for under 91 samples");
  add_number(*command, "--iterations", tsne.iterations, between(0, 1'000'000),
             "number of iterations");
  add_number(*command, "--exaggeration", tsne.exaggeration, at_least(1),
             "early exaggeration factor");
  add_number(*command, "--theta", tsne.theta, between(0, 1), "Barnes-Hut angle; 0 = exact");
  add_choice(*command, "--init", tsne.init,
             {{"pca", eval::TsneStart::kPca}, {"random", eval::TsneStart::kRandom}},
             "initial positions");
  add_number(*command, "--seed", tsne.seed, at_least(0), "random seed of the initial positions");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    auto& asked = arguments->request;
    asked.table.context = open_context(context);
    const bool is_table = take_table(asked.table, asked.input);
    if (is_table && !asked.labels.empty()) {
      fail("--labels is for matrices, expected --label COLUMN for a table");
    }
    if (!is_table && !asked.table.embeddings.empty()) {
      fail("--embeddings is for tables, expected one of .csv, .tsv or .jsonl before it");
    }
    const auto result = inference::map_embeddings(asked, context.logger);
    arguments->json ? print_json(to_json(result)) : print_map(result);
  });
}

}  // namespace projnce::app::tsne_command
