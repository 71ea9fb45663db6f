#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "apps/projnce/stop_signal.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/reproduce.h"
#include "projnce/reproduce/result_formats.h"

namespace projnce::app::reproduce_command {

namespace {

const char* const kSummary =
    "reproduce a table or figure of the paper and compare with the published values";
const char* const kDetails =
    "  projnce reproduce table1                        at laptop scale, in minutes\n"
    "  projnce reproduce table4 --dataset cifar10      on an available dataset\n"
    "  projnce reproduce table5 --dry-run              list the cells and estimate the time\n"
    "  projnce reproduce table4 --only supcon --only projnce-mlp --seeds 1\n"
    "  projnce reproduce my-table.toml                 your own experiment (see "
    "experiments/paper)\n"
    "\n"
    "Each cell is a run in OUT/SCALE/DATASET/CONDITION/METHOD/seed-N. Finished runs are kept and\n"
    "shared between tables; rerun the same command to resume.";

struct Arguments {
  reproduce::ReproduceRequest request;
  bool dry_run = false;
  bool json = false;
};

void print_plan(const nlohmann::ordered_json& plan) {
  for (const auto& cell : plan.at("cells")) {
    const bool blocked = cell.at("blocked").get<bool>();  // a run with other settings exists
    const bool finished = cell.at("finished").get<bool>();
    std::cout << (blocked    ? "blocked   "
                  : finished ? "finished  "
                             : "to train  ")
              << cell.at("title").get<std::string>() << '\n';
  }
  std::cout << fmt::format(
      "{} to train, about {} with {} job(s) (scale {}: {})\n", plan.at("unfinished").get<int64_t>(),
      format_duration(plan.at("seconds").get<double>()), plan.at("jobs").get<int>(),
      plan.at("scale").get<std::string>(), plan.at("recipe").get<std::string>());
}

void print_outcome(const reproduce::ReproduceOutcome& outcome, bool json) {
  if (json) {
    print_json(reproduce::result_json(outcome.result));
    return;
  }
  std::cout << reproduce::result_terminal(outcome.result);
  for (const auto& file : outcome.files) std::cout << file.string() << '\n';
}

void run(const Arguments& arguments, Context& context) {
  catch_stop_signals();
  const reproduce::ReproduceEnvironment environment{
      .logger = context.logger,
      .stop_requested = [] { return stop_signal() != 0; },
      .data = open_context(context)};
  if (arguments.dry_run) {
    const auto plan = reproduce::plan_reproduction(arguments.request, environment);
    arguments.json ? print_json(plan) : print_plan(plan);
    return;
  }
  const auto outcome = reproduce::reproduce(arguments.request, environment);
  print_outcome(outcome, arguments.json);
  if (!outcome.finished) {
    context.logger->info("stopped; run the same command to resume");
    context.exit_status = 128 + stop_signal();  // the shell convention for signals
  } else if (outcome.failed > 0) {
    context.logger->warn("{} cell(s) have no result", outcome.failed);
    context.exit_status = 1;
  }
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "reproduce", kSummary, kDetails);
  auto& request = arguments->request;
  command
      ->add_option("NAME", request.what,
                   join(reproduce::experiment_names()) + ", or an experiment file (TOML)")
      ->required();
  add_choice(*command, "--scale", request.scale, reproduce::scale_names(),
             "scale of encoders, data and training");
  command
      ->add_option("--dataset", request.datasets,
                   "dataset to use instead of the paper's: name, folder or archive; repeatable")
      ->allow_extra_args(false);
  command->add_option("--only", request.only, "train only this method; repeatable")
      ->allow_extra_args(false);
  add_number(*command, "--seeds", request.seeds, between(1, 1000),
             "number of seeds per cell; default: that of the scale");
  add_number(*command, "--jobs", request.jobs, between(1, 1024),
             "cells to train in parallel; default: one per core, one at scale full");
  command->add_option("--out", request.out, "output folder for runs and results")
      ->capture_default_str();
  command->add_flag("--dry-run", arguments->dry_run,
                    "list the cells and estimate the time from a few training steps");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    arguments->request.command = context.command_line;
    // Not the resolved path: a rebuild during training must not change the program of later cells.
    arguments->request.program = "/proc/self/exe";
    run(*arguments, context);
  });
}

}  // namespace projnce::app::reproduce_command
