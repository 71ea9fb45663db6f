#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "apps/projnce/command.h"
#include "projnce/core/allocator.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/version.h"
#include "projnce/kernel/isa.h"

namespace projnce::app {

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
  return command.add_option(
      "--layout", layout,
      concat("dataset layout of the path (default: auto-detect): ", join(dataset_names())));
}

void print_json(const nlohmann::ordered_json& object) {
  // Names come from files: what is not UTF-8 in spite of printable() must not stop the program.
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  std::cout << object.dump(2, ' ', /*ensure_ascii=*/false, kReplace) << '\n';
}

OpenContext open_context(const Context& context) {
  OpenContext open;
  open.logger = context.logger;
  if (const char* root = std::getenv("PROJNCE_DATA")) open.data_root = root;
  if (const char* home = std::getenv("HOME"))
    open.cache_home = std::filesystem::path(home) / ".cache";
  return open;
}

namespace {

constexpr int kFailedWorking = 1;
constexpr int kWrongInput = 2;

const char* const kDescription =
    "projnce learns embeddings from labelled pictures and sounds with supervised contrastive\n"
    "losses, also where labels are partly wrong.\n"
    "\n"
    "  projnce train --data FOLDER     train on a folder with a sub-folder for each class\n"
    "  projnce predict RUN FILE...     name the class of files with what was trained";

int report(const Error& error) {
  std::cerr << "projnce: " << error.what() << '\n';
  if (!error.hint().empty()) std::cerr << "  hint: " << error.hint() << '\n';
  return error.fault() == Fault::kInput ? kWrongInput : kFailedWorking;
}

/// A word as a shell reads it back.
std::string quoted(const std::string& word) {
  constexpr auto* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string command_line(int argc, char** argv) {
  std::string line = "projnce";
  for (int i = 1; i < argc; ++i) line += " " + quoted(argv[i]);
  return line;
}

/// PROJNCE_ISA holds kernels to fewer instructions than the processor has, for tests and
/// measurements.
std::optional<Isa> wanted_isa() {
  const char* name = std::getenv("PROJNCE_ISA");
  if (!name) return std::nullopt;
  return isa_named(name);
}

int run(int argc, char** argv) {
  std::optional<ForcedIsa> forced;
  if (const auto isa = wanted_isa()) forced.emplace(*isa);
  Context context{.logger = make_logger(), .command_line = command_line(argc, argv)};
  CLI::App app(kDescription, "projnce");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  add_train_command(app, context);
  add_launch_command(app, context);
  add_eval_command(app, context);
  add_predict_command(app, context);
  add_embed_command(app, context);
  add_export_command(app, context);
  add_mi_command(app, context);
  add_tsne_command(app, context);
  add_audit_command(app, context);
  add_report_command(app, context);
  add_reproduce_command(app, context);
  add_serve_command(app, context);
  add_data_command(app, context);
  add_loss_command(app, context);
  add_bench_command(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "projnce: " << error.what() << '\n' << "  hint: see projnce --help\n";
    return kWrongInput;
  }
  return context.exit_status;
}

}  // namespace
}  // namespace projnce::app

int main(int argc, char** argv) {
  using namespace projnce;
  keep_freed_memory();
  try {
    return app::run(argc, argv);
  } catch (const Error& error) {
    return app::report(error);
  } catch (const std::exception& error) {
    std::cerr << "projnce: " << error.what() << '\n';
    return app::kFailedWorking;
  }
}
