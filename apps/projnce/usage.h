#pragma once

#include <CLI/CLI.hpp>

#include "projnce/core/error.h"

namespace projnce::app {

/// The command that the user reached: `data info` of `projnce data info photos`.
/// REQUIRES: `app` has parsed, successfully or not.
const CLI::App& reached_command(const CLI::App& app);

/// "projnce data info", as the user types it.
std::string command_path(const CLI::App& command);

/// Why CLI11 refuses a command line, as a sentence with the nearest valid name and the help that
/// tells more.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace projnce::app
