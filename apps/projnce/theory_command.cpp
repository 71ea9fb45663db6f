#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/threads.h"
#include "projnce/theory/theory.h"

namespace projnce::app::theory_command {

namespace {

const char* const kSummary = "checks the bounds on sources whose information is known";
const char* const kDetails =
    "  projnce theory                      T1 to T7, about two minutes\n"
    "  projnce theory --only T3,T4 -o out  two of them; writes out/theory.html and drawings\n"
    "  projnce theory --all                also T8, which trains encoders\n"
    "\n"
    "docs/theory.md explains the experiments. Exit status 1 if a claim that must hold is violated.";

struct Arguments {
  TheoryRequest request;
  int64_t seed = 0;
  std::filesystem::path output;
  bool json = false;
};

void run(Arguments& arguments, Context& context) {
  set_threads(1);  // batches are small: threads would only wait for each other
  arguments.request.options.seed = static_cast<uint64_t>(arguments.seed);
  const auto results = run_theory(arguments.request, [&](const TheoryResult& result) {
    if (!arguments.json) std::cout << theory_text(result) << "\n" << std::flush;
  });
  if (!arguments.output.empty()) {
    for (const auto& file : write_theory(results, arguments.output)) {
      if (!arguments.json) std::cout << file.string() << "\n";
    }
  }
  if (arguments.json) print_json(theory_json(results));
  int64_t violated = 0;
  for (const auto& result : results) violated += result.violated();
  if (violated > 0) {
    context.logger->error("{} claim(s) that must hold are violated", violated);
    context.exit_status = 1;
  }
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "theory", kSummary, kDetails);
  command->add_option("--only", arguments->request.only, "experiments to run, such as T1,T3")
      ->delimiter(',');
  command->add_flag("--all", arguments->request.all, "run the slow experiments too");
  add_number(*command, "--seed", arguments->seed, at_least(0), "seed of all draws");
  command->add_option("-o,--output", arguments->output, "folder for theory.html and the drawings");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app::theory_command
