#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/compare/run_case.h"

namespace projnce::bench {

/// Returns a readable table.
std::string to_text(const CaseResult& outcome);

/// Returns all results for tools/plot_bench.py and others: seconds, bytes, operations per second.
nlohmann::ordered_json to_json(const CaseResult& outcome);

}  // namespace projnce::bench
