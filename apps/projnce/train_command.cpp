#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "apps/projnce/command.h"
#include "apps/projnce/stop_signal.h"
#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/terminal/terminal_summary.h"
#include "projnce/run/train.h"

namespace projnce::app::train_command {

namespace {

const char* const kSummary = "train an encoder and judge it on the test part of the data";
const char* const kDetails =
    "  projnce train --data photos                 a folder with a sub-folder for each class\n"
    "  projnce train --data cifar-10-binary.tar.gz an archive as its makers hand it out\n"
    "  projnce train --data clips --layout folder  read it as class folders, whatever it looks "
    "like\n"
    "  projnce train experiments/fashion-mnist/quick.toml --set train.epochs=2\n"
    "  projnce train --data photos --init runs/cat start from the weights of another run\n"
    "  projnce train --resume --out runs/photos    go on with a run that was stopped\n"
    "  projnce train --data photos --out runs/photos --resume\n"
    "                                              the same command starts it and goes on with it\n"
    "\n"
    "Without CONFIG, sizes are chosen that suit a CPU, and the contrastive loss that did best\n"
    "with wrong labels (docs/reports/results.md); with it, what it leaves out is the paper's.";

struct Arguments {
  run::TrainRequest request;
  bool json = false;
};

void print_summary(const run::TrainOutcome& outcome) {
  const auto curves = report::summary_curves(io::RunPaths{outcome.run}.metrics(),
                                             outcome.summary.at("protocol").get<std::string>());
  std::cout << report::terminal_summary(
      outcome.summary, curves,
      report::terminal_style(STDOUT_FILENO, [](auto name) { return std::getenv(name); }),
      outcome.report.string());
}

/// The first argument is a configuration file; data has its option.
void check_config(const config::RunRequest& request) {
  const auto& config = request.config;
  if (config.empty() || config.extension() == ".toml" || !config::names_dataset(config.string()))
    return;
  std::error_code ignored;
  if (std::filesystem::exists(config / "config.toml", ignored)) {
    fail(Hint{concat("did you mean --resume --out ", config.string(), ", or ",
                     (config / "config.toml").string(), "?")},
         config.string(), " is the directory of a run, expected a configuration file (TOML)");
  }
  fail(Hint{concat("did you mean --data ", config.string(), "?")}, config.string(),
       " is data, expected a configuration file (TOML)");
}

void run(const Arguments& arguments, Context& context) {
  check_config(arguments.request.run);
  catch_stop_signals();
  const auto outcome =
      run::train(arguments.request, {.logger = context.logger,
                                     .stop_requested = [] { return stop_signal() != 0; },
                                     .data = open_context(context)});
  if (outcome.lost_checkpoints > 0) {
    context.logger->warn("{} checkpoint(s) could not be written", outcome.lost_checkpoints);
  }
  if (!outcome.finished) {
    context.logger->info("stopped; go on with: projnce train --resume --out {}",
                         outcome.run.string());
    context.exit_status = 128 + stop_signal();  // as shells report a signal
    return;
  }
  if (!outcome.writes) return;
  if (arguments.json) {
    print_json(outcome.summary);
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
      "folder with a sub-folder for each class, a known dataset's name, folder or archive");
  add_layout_option(*command, request.run.layout);
  command
      ->add_option("--set", request.run.settings,
                   "override one setting, such as --set train.epochs=20; repeatable")
      ->allow_extra_args(false);
  command->add_option("--init", request.run.init,
                      "start from these weights: a .safetensors file or another run");
  command->add_option("--out", request.out, "directory of the run (default: runs/DATASET-LOSS)");
  command->add_flag(
      "--resume", request.resume,
      "go on with the run in --out from its last checkpoint; where there is none yet, "
      "start it");
  command->add_flag("--force", request.force, "resume although settings or data changed")
      ->needs("--resume");
  command->add_flag("--live", request.live,
                    "keep RUN/report.html fresh while training; open it in a browser");
  command->add_flag("--strict", request.strict, "an unreadable sample is an error, not a warning");
  command->add_option("--max-corrupt", request.max_corrupt,
                      "stop if more samples are unreadable: a number of files (5) or a share (1%); "
                      "default: 1% or 5 files, whichever is more");
  add_json_flag(*command, arguments->json);
  request.command = context.command_line;
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app::train_command
