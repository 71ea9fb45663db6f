#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "apps/projnce/command.h"
#include "projnce/config/run_request.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/terminal/terminal_summary.h"
#include "projnce/run/train.h"

namespace projnce::app::train_command {

namespace {

const char* const kSummary = "train an encoder and evaluate it on the test split";
const char* const kDetails =
    "  projnce train --data photos                 folder with one subfolder per class\n"
    "  projnce train --data cifar-10-binary.tar.gz original archive of a known dataset\n"
    "  projnce train --data clips --layout folder  class folders, without auto-detection\n"
    "  projnce train experiments/fashion-mnist/quick.toml --set train.epochs=2\n"
    "  projnce train --data photos --init runs/cat start from the weights of another run\n"
    "  projnce train --resume --out runs/photos    resume an interrupted run\n"
    "  projnce train --data photos --out runs/photos --resume\n"
    "                                              start a run, or resume it if it exists\n"
    "\n"
    "Without CONFIG, sizes are chosen for a CPU, and the loss is the one that was most accurate\n"
    "under label noise (docs/reports/results.md). Keys missing from CONFIG default to the paper's\n"
    "values.";

struct Arguments {
  run::TrainRequest request;
  bool json = false;
};

nlohmann::ordered_json read_summary(const std::filesystem::path& run) {
  const auto summary = io::RunPaths{run}.summary();
  return parse_ordered_json(io::read_text_file(summary, io::kMostSummaryBytes), summary.string());
}

void print_summary(const run::TrainOutcome& outcome) {
  const auto summary = read_summary(outcome.run);
  const auto curves = report::summary_curves(io::RunPaths{outcome.run}.metrics(),
                                             summary.at("protocol").get<std::string>());
  std::cout << report::terminal_summary(
      summary, curves,
      report::terminal_style(STDOUT_FILENO, [](auto name) { return std::getenv(name); }),
      outcome.report.string());
}

/// Throws if CONFIG is a dataset or a run directory instead of a configuration file.
void check_config(const config::RunRequest& request) {
  const auto& config = request.config;
  if (config.empty() || config.extension() == ".toml" || !config::names_dataset(config.string()))
    return;
  std::error_code ignored;
  if (std::filesystem::exists(config / "config.toml", ignored)) {
    fail(Hint{concat("did you mean --resume --out ", config.string(), ", or ",
                     (config / "config.toml").string(), "?")},
         config.string(), " is a run directory, expected a configuration file (TOML)");
  }
  fail(Hint{concat("did you mean --data ", config.string(), "?")}, config.string(),
       " is a dataset, expected a configuration file (TOML)");
}

void run(const Arguments& arguments, Context& context) {
  check_config(arguments.request.run);
  catch_stop_signals();
  const auto outcome =
      run::train(arguments.request, {.logger = context.logger,
                                     .stop_requested = [] { return stop_signal() != 0; },
                                     .data = open_context(context)});
  if (outcome.lost_checkpoints > 0) {
    context.logger->warn("{} could not be written",
                         counted(outcome.lost_checkpoints, "checkpoint"));
  }
  if (!outcome.finished) {
    context.logger->info("stopped; resume with: projnce train --resume --out {}",
                         outcome.run.string());
    context.exit_status = 128 + stop_signal();  // the shell convention for signals
    return;
  }
  if (!outcome.writes) return;
  if (arguments.json) {
    print_json(read_summary(outcome.run));
  } else {
    print_summary(outcome);
  }
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "train", kSummary, kDetails);
  auto& request = arguments->request;
  command->add_option("CONFIG", request.run.config, "configuration file (TOML)");
  command->add_option(
      "--data", request.run.data,
      "folder with one subfolder per class, or name, folder or archive of a known dataset");
  add_layout_option(*command, request.run.layout);
  command
      ->add_option("--set", request.run.settings,
                   "override one setting, such as --set train.epochs=20; repeatable")
      ->allow_extra_args(false);
  command->add_option("--init", request.run.init,
                      "initial weights: a .safetensors file or another run");
  command->add_option("--out", request.out, "directory of the run (default: runs/DATASET-LOSS)");
  command->add_flag(
      "--resume", request.resume,
      "resume the run in --out from its last checkpoint, or start it if there is none");
  command->add_flag("--force", request.force, "resume even if settings or data have changed")
      ->needs("--resume");
  command->add_flag("--live", request.live, "update RUN/report.html during training");
  command->add_flag("--strict", request.strict,
                    "treat an unreadable sample as an error instead of a warning");
  command->add_option("--max-corrupt", request.max_corrupt,
                      "maximum number (5) or percentage (1%) of unreadable samples; "
                      "default: 1% or 5, whichever is more");
  add_json_flag(*command, arguments->json);
  request.command = context.command_line;
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app::train_command
