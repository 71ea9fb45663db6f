#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/inference/predict.h"
#include "projnce/io/filesystem/atomic_file.h"

namespace projnce::app::predict_command {

namespace {

const char* const kSummary = "classify images or audio files, with probabilities";
const char* const kDetails =
    "  projnce predict runs/photos new/*.jpg\n"
    "  projnce predict runs/photos new --top-k 3        all images in a folder, recursively\n"
    "  projnce predict runs/photos new --csv new.csv\n"
    "\n"
    "Prints CSV with a header: file, class and calibrated probability; with --top-k also the next\n"
    "most likely classes. Uses the model that summary.json and the report describe and that\n"
    "`export` writes. Unreadable files are reported on standard error and skipped; the exit\n"
    "status is then 2. A run trained on vectors takes .npy matrices.";

struct Arguments {
  inference::PredictRequest request;
  std::filesystem::path csv;
  bool json = false;
};

void warn_of_problems(const inference::Predictions& predictions, Context& context) {
  for (const auto& prediction : predictions.rows) {
    if (prediction.problem.empty()) continue;
    context.logger->warn("skipped: {}", prediction.problem);
    context.exit_status = 2;
  }
  if (!predictions.calibrated) {
    context.logger->warn(
        "no probabilities: this run was trained by an older version without calibration");
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
  std::cout << fmt::format("wrote {} to {}\n", counted(read, "prediction"), arguments.csv.string());
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "predict", kSummary, kDetails);
  command->add_option("RUN", arguments->request.run, "directory of the run")->required();
  command
      ->add_option("INPUT", arguments->request.inputs,
                   "images or audio files, as in training, or folders of them")
      ->required();
  add_number(*command, "--top-k", arguments->request.top_k, at_least(1),
             "number of classes to print per sample");
  command->add_option("--csv", arguments->csv, "write the CSV to this file");
  add_device(*command, arguments->request.device);
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app::predict_command
