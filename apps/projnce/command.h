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
void add_audit_command(CLI::App& app, Context& context);
void add_bench_command(CLI::App& app, Context& context);
void add_data_command(CLI::App& app, Context& context);
void add_embed_command(CLI::App& app, Context& context);
void add_eval_command(CLI::App& app, Context& context);
void add_export_command(CLI::App& app, Context& context);
void add_launch_command(CLI::App& app, Context& context);
void add_loss_command(CLI::App& app, Context& context);
void add_mi_command(CLI::App& app, Context& context);
void add_predict_command(CLI::App& app, Context& context);
void add_report_command(CLI::App& app, Context& context);
void add_reproduce_command(CLI::App& app, Context& context);
void add_serve_command(CLI::App& app, Context& context);
void add_train_command(CLI::App& app, Context& context);
void add_tsne_command(CLI::App& app, Context& context);

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
OpenContext open_context(const Context& context);

}  // namespace projnce::app
