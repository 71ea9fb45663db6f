#include <fmt/format.h>

#include <iostream>
#include <map>

#include "apps/projnce/command.h"
#include "projnce/pipeline/embedding_map.h"

namespace projnce::app {

namespace {

const char* const kSummary =
    "a map of embeddings in the plane: t-SNE or PCA, as numbers or picture";
const char* const kDetails =
    "  projnce tsne runs/photos -o map.svg                       the run's test samples\n"
    "  projnce tsne e.npy --labels l.npy -o map.png -o map.npy   embeddings of any program\n"
    "  projnce tsne e.npy --method pca -o pca.html\n"
    "\n"
    "The ending says what is written: .npy (positions), .svg, .png or .html (a picture, coloured\n"
    "by label). The Kullback-Leibler divergence tells how well the map keeps neighbourhoods; the\n"
    "smaller, the better.";

void print_map(const nlohmann::ordered_json& result) {
  if (result.contains("kl")) {
    std::cout << fmt::format("KL divergence {:.4f} after {} iterations, perplexity {:.3g}\n",
                             result.at("kl").get<double>(), result.at("iterations").get<int64_t>(),
                             result.at("perplexity").get<double>());
  }
  std::cout << fmt::format("{} samples in {:.1f} s\n", result.at("samples").get<int64_t>(),
                           result.at("seconds").get<double>());
  for (const auto& file : result.at("files")) std::cout << file.get<std::string>() << '\n';
}

}  // namespace

void add_tsne_command(CLI::App& app, Context& context) {
  struct Arguments {
    MapRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  auto& tsne = request.tsne;
  auto* command = add_command(app, "tsne", kSummary, kDetails);
  command->add_option("EMBEDDINGS", request.input, ".npy matrix, or the directory of a run")
      ->required();
  command->add_option("--labels", request.labels, ".npy list of labels, for the colours");
  command->add_option("-o,--output", request.outputs,
                      "file to write; may be given several times (RUN/tsne.npy)");
  const std::map<std::string, MapMethod> methods = {{"tsne", MapMethod::kTsne},
                                                    {"pca", MapMethod::kPca}};
  command->add_option("--method", request.method, "tsne or pca")
      ->transform(CLI::CheckedTransformer(methods));
  command
      ->add_option("--perplexity", tsne.perplexity,
                   "about how many neighbours count (30, fewer for under 91 samples)")
      ->check(CLI::PositiveNumber);
  command->add_option("--iterations", tsne.iterations, "steps")->capture_default_str();
  command->add_option("--exaggeration", tsne.exaggeration, "early pulls count so many times")
      ->capture_default_str();
  command->add_option("--theta", tsne.theta, "how coarse far points are seen; 0 is exact")
      ->capture_default_str();
  const std::map<std::string, TsneStart> starts = {{"pca", TsneStart::kPca},
                                                   {"random", TsneStart::kRandom}};
  command->add_option("--init", tsne.init, "start from pca or random positions")
      ->transform(CLI::CheckedTransformer(starts));
  command->add_option("--seed", tsne.seed, "of random positions")->capture_default_str();
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    const auto result = map_embeddings(arguments->request, context.logger);
    arguments->json ? print_json(result) : print_map(result);
  });
}

}  // namespace projnce::app
