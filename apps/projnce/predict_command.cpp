#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/inference/predict.h"
#include "projnce/io/filesystem/atomic_file.h"

namespace projnce::app::predict_command {

namespace {

const char* const kSummary = "class and probability of each image or sound";
const char* const kDetails =
    "  projnce predict runs/photos new/*.jpg\n"
    "  projnce predict runs/photos new --top-k 3        every image in the folder and below\n"
    "  projnce predict runs/photos new --csv new.csv\n"
    "\n"
    "Prints CSV with a header: file, class and calibrated probability; with --top-k also the next\n"
    "classes. The model is the one that summary.json, the report and `export` speak of. A "
    "file\n"
    "that cannot be read is named on standard error and left out; the exit status is then 2. A "
    "run\n"
    "that was trained on vectors takes .npy matrices.";

struct Arguments {
  inference::PredictRequest request;
  std::filesystem::path csv;
  bool json = false;
};

void warn_of_problems(const inference::Predictions& predictions, Context& context) {
  for (const auto& prediction : predictions.rows) {
    if (prediction.problem.empty()) continue;
    context.logger->warn("left out: {}", prediction.problem);
    context.exit_status = 2;
  }
  if (!predictions.calibrated) {
    context.logger->warn(
        "an older version trained this run without calibrating it: there are no probabilities");
  }
}

void run(const Arguments& arguments, Context& context) {
  const auto predictions = inference::predict_inputs(arguments.request);
  warn_of_problems(predictions, context);
  if (!arguments.csv.empty()) {
    io::write_file_atomically(arguments.csv,
                              inference::predictions_csv(predictions, arguments.request.top_k));
  }
  if (arguments.json) return print_json(inference::predictions_json(predictions));
  if (arguments.csv.empty()) {
    std::cout << inference::predictions_csv(predictions, arguments.request.top_k);
    return;
  }
  const auto read = std::count_if(predictions.rows.begin(), predictions.rows.end(),
                                  [](const auto& row) { return row.problem.empty(); });
  std::cout << fmt::format("{} predictions in {}\n", read, arguments.csv.string());
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "predict", kSummary, kDetails);
  command->add_option("RUN", arguments->request.run, "directory of the run")->required();
  command
      ->add_option("INPUT", arguments->request.inputs,
                   "images or sounds, as the run was trained on, or folders of them")
      ->required();
  add_number(*command, "--top-k", arguments->request.top_k, at_least(1),
             "number of classes to name for each sample");
  command->add_option("--csv", arguments->csv, "write the CSV to this file");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app::predict_command
