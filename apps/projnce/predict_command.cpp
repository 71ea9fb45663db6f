#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/pipeline/predict.h"

namespace projnce::app {

namespace {

const char* const kSummary = "class and similarity of each picture or sound";
const char* const kDetails =
    "  projnce predict runs/photos new/*.jpg\n"
    "\n"
    "Prints file, class and cosine similarity with the class, separated by tabs. A file that "
    "cannot\n"
    "be read is named on standard error and left out; the exit status is then 2.";

nlohmann::ordered_json to_json(const std::vector<Prediction>& predictions) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& prediction : predictions) {
    if (prediction.problem.empty()) {
      rows.push_back({{"file", prediction.file},
                      {"class", prediction.class_name},
                      {"similarity", prediction.similarity}});
    } else {
      rows.push_back({{"file", prediction.file}, {"error", prediction.problem}});
    }
  }
  return {{"predictions", rows}};
}

void print_rows(const std::vector<Prediction>& predictions) {
  for (const auto& prediction : predictions) {
    if (!prediction.problem.empty()) continue;
    std::cout << fmt::format("{}\t{}\t{:.4f}\n", prediction.file, prediction.class_name,
                             prediction.similarity);
  }
}

}  // namespace

void add_predict_command(CLI::App& app, Context& context) {
  struct Arguments {
    std::filesystem::path run;
    std::vector<std::filesystem::path> files;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "predict", kSummary, kDetails);
  command->add_option("RUN", arguments->run, "directory of the run")->required();
  command->add_option("FILE", arguments->files, "pictures or sounds, as the run was trained on")
      ->required();
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    const auto predictions = predict_files(arguments->run, arguments->files);
    for (const auto& prediction : predictions) {
      if (prediction.problem.empty()) continue;
      context.logger->warn("left out: {}", prediction.problem);
      context.exit_status = 2;
    }
    arguments->json ? print_json(to_json(predictions)) : print_rows(predictions);
  });
}

}  // namespace projnce::app
