#include <algorithm>
#include <filesystem>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/distributed/launcher.h"

namespace projnce::app::launch_command {

namespace {

const char* const kSummary = "run a command in several processes (ranks) on this host";
const char* const kDetails =
    "  projnce launch -n 4 -- train --data photos --out runs/photos\n"
    "\n"
    "If a process dies, all processes are restarted and resume from the last checkpoint. On\n"
    "several hosts, use torchrun, mpirun or srun instead.";

/// Arguments after a restart: training resumes from its last checkpoint, other commands start over.
std::vector<std::string> restart_arguments(std::vector<std::string> arguments) {
  const bool resumes = std::find(arguments.begin(), arguments.end(), "--resume") != arguments.end();
  if (arguments.front() == "train" && !resumes) arguments.push_back("--resume");
  return arguments;
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto plan = std::make_shared<distributed::LaunchPlan>();
  auto* command = add_command(app, "launch", kSummary, kDetails);
  add_number(*command, "-n,--ranks", plan->ranks, between(1, 4096), "number of processes");
  add_number(*command, "--max-restarts", plan->max_restarts, between(0, 1'000'000),
             "maximum number of restarts after failures");
  command->add_option("COMMAND", plan->arguments, "command and its arguments, after --")
      ->required();
  command->callback([plan, &context] {
    plan->program = std::filesystem::read_symlink("/proc/self/exe");
    plan->restart_arguments = restart_arguments(plan->arguments);
    plan->log = [&context](const std::string& message) { context.logger->warn("{}", message); };
    context.exit_status = distributed::launch(*plan);
  });
}

}  // namespace projnce::app::launch_command
