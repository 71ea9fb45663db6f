#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/threads.h"
#include "projnce/theory/theory.h"

namespace projnce::app::theory_command {

namespace {

const char* const kSummary =
    "check the information bounds on sources with known mutual information";
const char* const kDetails =
    "  projnce theory                       T1 to T7, in less than two minutes\n"
    "  projnce theory --only T3,T4 -o DIR   two of them; writes DIR/theory.html and SVG charts\n"
    "  projnce theory --all                 T8 too, which trains encoders\n"
    "\n"
    "Each experiment compares values that losses and bounds give with the true I(Z;C). A claim is\n"
    "an inequality that must hold up to 4 standard errors plus 0.001 nats, or the agreement with\n"
    "a reference value. Exit status 1 if a claim does not hold. docs/theory.md explains the\n"
    "experiments.";

struct Arguments {
  theory::TheoryRequest request;
  int64_t seed = 0;
  std::filesystem::path output;
  bool json = false;
};

void run(Arguments& arguments, Context& context) {
  arguments.request.options.seed = static_cast<uint64_t>(arguments.seed);
  theory::check_request(arguments.request);
  if (!arguments.output.empty()) theory::make_output_directory(arguments.output);
  set_threads(1);  // batches are small: threads would only wait for each other
  const auto results =
      theory::run_theory(arguments.request, [&](const theory::TheoryResult& result) {
        if (!arguments.json) std::cout << theory::theory_text(result) << std::endl;
      });
  if (!arguments.output.empty()) {
    for (const auto& file : theory::write_theory(results, context.command_line, arguments.output)) {
      if (!arguments.json) std::cout << file.string() << '\n';
    }
  }
  if (arguments.json) print_json(theory::theory_json(results));
  context.exit_status = theory::exit_status(results);
  if (context.exit_status != 0) {
    context.logger->error("claims that do not hold: {}", theory::violated_claims(results));
  }
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "theory", kSummary, kDetails);
  command
      ->add_option("--only", arguments->request.only,
                   "run only these of T1 to T8, separated by commas")
      ->delimiter(',')
      ->type_name("IDS");
  command->add_flag("--all", arguments->request.all, "run T8 too");
  add_number(*command, "--seed", arguments->seed, at_least(0), "seed of all random draws");
  command->add_option("-o,--output", arguments->output,
                      "directory for theory.html and the charts; default: none are written");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app::theory_command
