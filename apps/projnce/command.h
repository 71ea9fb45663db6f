#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce::app {

/// State shared by all commands. Outlives the parser.
struct Context {
  Logger logger;
  std::string command_line = {};  ///< quoted for the shell
  int exit_status = 0;
};

/// Each `add` registers a command with its options, help text and callback.
// clang-format off
namespace apply_command { void add(CLI::App& app, Context& context); }
namespace audit_command { void add(CLI::App& app, Context& context); }
namespace bench_command { void add(CLI::App& app, Context& context); }
namespace data_command { void add(CLI::App& app, Context& context); }
namespace embed_command { void add(CLI::App& app, Context& context); }
namespace eval_command { void add(CLI::App& app, Context& context); }
namespace export_command { void add(CLI::App& app, Context& context); }
namespace launch_command { void add(CLI::App& app, Context& context); }
namespace loss_command { void add(CLI::App& app, Context& context); }
namespace mi_command { void add(CLI::App& app, Context& context); }
namespace predict_command { void add(CLI::App& app, Context& context); }
namespace report_command { void add(CLI::App& app, Context& context); }
namespace reproduce_command { void add(CLI::App& app, Context& context); }
namespace serve_command { void add(CLI::App& app, Context& context); }
namespace theory_command { void add(CLI::App& app, Context& context); }
namespace train_command { void add(CLI::App& app, Context& context); }
namespace tsne_command { void add(CLI::App& app, Context& context); }
// clang-format on

/// Adds a command. `summary` is its line in the list of commands; `details` follows the options in
/// its help.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& details);

/// Adds the flag `--json`.
void add_json_flag(CLI::App& command, bool& json);

/// Adds the option `--layout` for commands that take a dataset path. Its help lists the layouts.
CLI::Option* add_layout_option(CLI::App& command, std::string& layout);

/// Prints `object` to standard output, followed by a newline.
void print_json(const nlohmann::ordered_json& object);

/// Search path for named datasets: PROJNCE_DATA, then the user's cache directory.
dataset::OpenContext open_context(const Context& context);

/// Installs handlers for SIGINT and SIGTERM that record the signal; the training loop checks for it
/// after every step. A second signal terminates the program immediately.
void catch_stop_signals();

/// Returns the received signal, or 0.
int stop_signal();

}  // namespace projnce::app
