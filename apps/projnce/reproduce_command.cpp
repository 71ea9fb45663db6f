#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/core/toml.h"
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

nlohmann::ordered_json to_json(const reproduce::ReproductionPlan& plan) {
  auto skipped = nlohmann::ordered_json::array();
  for (const auto& group : plan.skipped) {
    skipped.push_back({{"column", group.column}, {"cells", group.cells}, {"reason", group.reason}});
  }
  auto cells = nlohmann::ordered_json::array();
  for (const auto& cell : plan.cells) {
    cells.push_back({{"title", cell.title},
                     {"directory", cell.directory.string()},
                     {"settings", to_toml(cell.settings)},
                     {"blocked", cell.blocked},
                     {"finished", cell.finished}});
  }
  return {{"name", plan.name},       {"scale", plan.scale},     {"recipe", plan.recipe},
          {"jobs", plan.jobs},       {"threads", plan.threads}, {"unfinished", plan.unfinished},
          {"seconds", plan.seconds}, {"impossible", skipped},   {"cells", cells}};
}

void print_plan(const reproduce::ReproductionPlan& plan) {
  for (const auto& cell : plan.cells) {
    std::cout << (cell.blocked    ? "blocked   "
                  : cell.finished ? "finished  "
                                  : "to train  ")
              << cell.title << '\n';
  }
  std::cout << fmt::format("{} to train, about {} with {} (scale {}: {})\n", plan.unfinished,
                           format_duration(plan.seconds), counted(plan.jobs, "job"), plan.scale,
                           plan.recipe);
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
    arguments.json ? print_json(to_json(plan)) : print_plan(plan);
    return;
  }
  const auto outcome = reproduce::reproduce(arguments.request, environment);
  print_outcome(outcome, arguments.json);
  if (!outcome.finished) {
    context.logger->info("stopped; run the same command to resume");
    context.exit_status = 128 + stop_signal();  // the shell convention for signals
  } else if (outcome.failed > 0) {
    context.logger->warn("{} no result", counted(outcome.failed, "cell has", "cells have"));
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
