#pragma once

#include <CLI/CLI.hpp>

#include "projnce/core/error.h"

namespace projnce::app {

/// Returns the innermost parsed command: `data info` of `projnce data info photos`.
/// REQUIRES: `app` has parsed, successfully or not.
const CLI::App& reached_command(const CLI::App& app);

/// Returns the full name of a command, such as "projnce data info".
std::string command_path(const CLI::App& command);

/// Converts a CLI11 parse error to an Error that suggests the closest valid name and points to the
/// command's --help.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace projnce::app
