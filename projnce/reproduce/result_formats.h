#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// A line for each run, below one of the fields' names. Numbers are as a Result keeps them:
/// accuracies as shares (unit "share"), information in nats. `mean`, `deviation`, `paper` and
/// `difference` are of the run's cell; empty where there is none.
std::string result_csv(const Result& result);

/// Everything that is known of the result, for programs. Numbers are as a Result keeps them:
/// accuracies as shares (unit "share"), information in nats; null where there is none or it is not
/// finite. Images are named, not held: their files stand beside.
nlohmann::ordered_json result_json(const Result& result);

/// The result as a Markdown file: its tables with the paper's numbers beside ours, and every run
/// behind them. Texts of a result are plain; nothing in them becomes markup.
std::string result_markdown(const Result& result);

/// The result's tables in columns, for a terminal.
std::string result_terminal(const Result& result);

}  // namespace projnce::reproduce
