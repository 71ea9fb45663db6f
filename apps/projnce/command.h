#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"

namespace projnce::app {

/// What every command works with. It outlives the parser.
struct Context {
  Logger logger;
  std::string command_line = {};  ///< what was typed, as a shell would take it
  int exit_status = 0;
};

/// Each command registers itself, its options and its help text; the work happens in its callback.
// clang-format off
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

/// A command with one line for the list of commands and examples below its own help.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& details);

/// The flag `--json` that every command has.
void add_json_flag(CLI::App& command, bool& json);

/// The option `--layout` of commands that take the path of a dataset; its help lists the names.
CLI::Option* add_layout_option(CLI::App& command, std::string& layout);

/// One JSON object and a line end, to standard output.
void print_json(const nlohmann::ordered_json& object);

/// Where datasets are looked for by name: PROJNCE_DATA, then the user's cache folder.
dataset::OpenContext open_context(const Context& context);

}  // namespace projnce::app
