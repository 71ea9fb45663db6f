#pragma once

#include <CLI/CLI.hpp>

#include "projnce/dataset/readers/table_dataset.h"
#include "projnce/inference/table_samples.h"

namespace projnce::app {

/// Adds the options that describe the rows of a table: --label, --votes, --image, --audio, --id and
/// --feature-columns.
void add_row_options(CLI::App& command, inference::TableRequest& request);

/// Adds the options that describe a table: --label, --votes, --text, --image, --audio, --id,
/// --split,
/// --group, --feature-columns and --run.
void add_table_options(CLI::App& command, inference::TableRequest& request);

/// True if any of these options was given.
bool has_table_options(const inference::TableRequest& request);

/// Throws if table options were given although `input` is not a table. Otherwise, if it is one,
/// makes it the table of the request and returns true.
bool take_table(inference::TableRequest& request, const std::filesystem::path& input);

/// The described table as a dataset. Throws if a run is to embed its files.
dataset::TableOptions table_dataset_options(const inference::TableRequest& request);

}  // namespace projnce::app
