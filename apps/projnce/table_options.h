#pragma once

#include <CLI/CLI.hpp>

#include "projnce/inference/table_samples.h"

namespace projnce::app {

/// Adds the options that describe a table: --label, --text, --image, --audio, --id, --split,
/// --group, --feature-columns and --run; also --device.
void add_table_options(CLI::App& command, inference::TableRequest& request);

/// True if any of these options was given.
bool has_table_options(const inference::TableRequest& request);

/// Throws if table options were given although `input` is not a table. Otherwise, if it is one,
/// makes it the table of the request and returns true.
bool take_table(inference::TableRequest& request, const std::filesystem::path& input);

}  // namespace projnce::app
