#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "projnce/reproduce/result.h"

namespace projnce::reproduce {

/// CSV with a header and one line per run. Accuracies are fractions (unit "share"), mutual
/// information is in nats. `mean`, `deviation`, `paper` and `difference` belong to the cell of the
/// run; empty if missing.
std::string result_csv(const Result& result);

/// Complete result as JSON. Accuracies are fractions (unit "share"), mutual information is in nats;
/// null if missing or not finite. Images are referenced by file name.
nlohmann::ordered_json result_json(const Result& result);

/// Formats the result as Markdown: tables with the published values, and a list of all runs. Texts
/// of the result are escaped.
std::string result_markdown(const Result& result);

/// Formats the tables as aligned columns for a terminal.
std::string result_terminal(const Result& result);

}  // namespace projnce::reproduce
