#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/compare/run_case.h"

namespace projnce::bench {

/// A table for people.
std::string to_text(const CaseResult& outcome);

/// Everything, for tools/plot_bench.py and others: seconds, bytes, operations in a second.
nlohmann::ordered_json to_json(const CaseResult& outcome);

}  // namespace projnce::bench
