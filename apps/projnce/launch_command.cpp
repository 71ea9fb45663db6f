#include <algorithm>
#include <filesystem>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/device.h"
#include "projnce/distributed/launcher.h"

namespace projnce::app::launch_command {

namespace {

const char* const kSummary = "run a command as several cooperating processes on this host";
const char* const kDetails =
    "  projnce launch -n 4 -- train --data photos --out runs/photos\n"
    "  projnce launch -n auto -- train --data photos --out runs/photos   a process per device\n"
    "\n"
    "If a process dies, all processes are restarted and resume from the last checkpoint. On\n"
    "several hosts, use torchrun, mpirun or srun instead.";

/// Arguments after a restart: training resumes from its last checkpoint, other commands start over.
std::vector<std::string> restart_arguments(std::vector<std::string> arguments) {
  const bool resumes = std::find(arguments.begin(), arguments.end(), "--resume") != arguments.end();
  if (arguments.front() == "train" && !resumes) arguments.push_back("--resume");
  return arguments;
}

int parse_ranks(const std::string& text) {
  if (text != "auto") return parse_number<int>("--ranks", text, between(1, 4096));
  const auto devices = available_devices();
  const auto cuda = std::count_if(devices.begin(), devices.end(),
                                  [](const auto& device) { return device.is_cuda(); });
  return std::max(1, static_cast<int>(cuda));
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto plan = std::make_shared<distributed::LaunchPlan>();
  auto* command = add_command(app, "launch", kSummary, kDetails);
  command
      ->add_option_function<std::string>(
          "-n,--ranks", [plan](const std::string& text) { plan->ranks = parse_ranks(text); },
          "number of processes (1 to 4096), or auto: the number of CUDA devices, at least 1")
      ->type_name("INT")
      ->default_str(std::to_string(plan->ranks));
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
