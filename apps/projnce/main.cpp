#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/allocator.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/version.h"
#include "projnce/kernel/isa.h"

namespace projnce::app {

namespace {

volatile std::sig_atomic_t received = 0;

void on_signal(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

int stop_signal() {
  return received;
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& details) {
  auto* command = app.add_subcommand(name, summary);
  command->footer("\nExamples:\n" + details);
  return command;
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print the result as one JSON object");
}

CLI::Option* add_layout_option(CLI::App& command, std::string& layout) {
  return command.add_option("--layout", layout,
                            concat("dataset layout of the path (default: auto-detect): ",
                                   join(dataset::dataset_names())));
}

void print_json(const nlohmann::ordered_json& object) {
  // Names come from files: replace bytes that are not UTF-8 even after printable() instead of
  // throwing.
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  std::cout << object.dump(2, ' ', /*ensure_ascii=*/false, kReplace) << '\n';
}

dataset::OpenContext open_context(const Context& context) {
  dataset::OpenContext open;
  open.logger = context.logger;
  if (const char* root = std::getenv("PROJNCE_DATA")) open.data_root = root;
  if (const char* home = std::getenv("HOME"))
    open.cache_home = std::filesystem::path(home) / ".cache";
  return open;
}

namespace {

constexpr int kExitRuntimeError = 1;
constexpr int kExitInputError = 2;

const char* const kDescription =
    "Supervised contrastive representation learning for images and audio, robust to label noise.\n"
    "\n"
    "  projnce train --data FOLDER     train on a folder with one subfolder per class\n"
    "  projnce predict RUN FILE...     classify files with a trained run\n";

/// Escapes control characters: names of files could change the terminal.
std::string without_controls(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\n') || byte == 0x7F;
    out += control ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
  }
  return out;
}

int report(const Error& error) {
  std::cerr << "projnce: " << without_controls(error.what()) << '\n';
  if (!error.hint().empty()) std::cerr << "  hint: " << without_controls(error.hint()) << '\n';
  return error.kind() == ErrorKind::kInput ? kExitInputError : kExitRuntimeError;
}

/// Quotes `word` for the shell if necessary.
std::string shell_quote(const std::string& word) {
  constexpr auto* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string command_line(int argc, char** argv) {
  std::string line = "projnce";
  for (int i = 1; i < argc; ++i) line += " " + shell_quote(argv[i]);
  return line;
}

/// Instruction set from the environment variable PROJNCE_ISA, if set. Restricts the kernels to
/// fewer instructions than the CPU supports, for tests and benchmarks.
std::optional<kernel::Isa> requested_isa() {
  const char* name = std::getenv("PROJNCE_ISA");
  if (!name) return std::nullopt;
  return kernel::parse_isa(name);
}

/// Command-line arguments without the program name. Rewrites `help train` to `train --help`.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  return arguments;
}

/// True if the command line ends at a command group: `projnce` or `projnce data`.
bool ends_at_group(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = reached_command(app);
  return error.get_name() == "RequiredError" && command.get_require_subcommand_min() > 0 &&
         app.remaining(/*recurse=*/true).empty();
}

int parse_and_run(CLI::App& app, std::vector<std::string> arguments) {
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects reverse order
    app.parse(std::move(arguments));
    return 0;
  } catch (const CLI::ParseError& error) {
    const bool is_unknown_command = app.get_subcommands().empty() && !app.remaining().empty();
    if (error.get_exit_code() == 0 && !is_unknown_command)
      return app.exit(error);  // --help, --version
    if (ends_at_group(app, error)) {
      std::cout << app.help();  // of the innermost parsed command
      return 0;
    }
    throw usage_error(app, error);
  }
}

int run(int argc, char** argv) {
  std::optional<kernel::ForcedIsa> forced;
  if (const auto isa = requested_isa()) forced.emplace(*isa);
  Context context{.logger = make_logger(), .command_line = command_line(argc, argv)};
  CLI::App app(kDescription, "projnce");
  app.set_help_flag("-h,--help", "print this help and exit");  // inherited by the commands
  app.set_version_flag("--version", kVersion, "print the version and exit");
  app.require_subcommand(1);
  train_command::add(app, context);
  launch_command::add(app, context);
  eval_command::add(app, context);
  predict_command::add(app, context);
  embed_command::add(app, context);
  export_command::add(app, context);
  mi_command::add(app, context);
  tsne_command::add(app, context);
  audit_command::add(app, context);
  apply_command::add(app, context);
  report_command::add(app, context);
  reproduce_command::add(app, context);
  serve_command::add(app, context);
  data_command::add(app, context);
  loss_command::add(app, context);
  theory_command::add(app, context);
  bench_command::add(app, context);
  const int status = parse_and_run(app, arguments_of(argc, argv));
  return status == 0 ? context.exit_status : status;
}

}  // namespace
}  // namespace projnce::app

int main(int argc, char** argv) {
  using namespace projnce;
  disable_malloc_trim();
  try {
    return app::run(argc, argv);
  } catch (const Error& error) {
    return app::report(error);
  } catch (const std::exception& error) {
    std::cerr << "projnce: " << error.what() << '\n';
    return app::kExitRuntimeError;
  }
}
