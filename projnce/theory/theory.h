#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/theory/experiments.h"

namespace projnce {

/// Which experiments to run.
struct TheoryRequest {
  std::vector<std::string> only = {};  ///< ids such as "T3"; empty: all but the slow ones
  bool all = false;                    ///< also the slow ones, which train encoders
  TheoryOptions options = {};
};

/// The ids that there are, in order.
std::vector<std::string> theory_ids();

/// Runs the experiments one after the other and calls `finished` with each result. Throws an Error
/// for an unknown id.
std::vector<TheoryResult> run_theory(const TheoryRequest& request,
                                     const std::function<void(const TheoryResult&)>& finished);

/// Tables and claims of one experiment for the terminal; claims that hold are only counted.
std::string theory_text(const TheoryResult& result);

/// All results: tables, claims, seconds.
nlohmann::ordered_json theory_json(const std::vector<TheoryResult>& results);

/// Writes theory.html with everything, and a drawing T1.svg, ... for each experiment. Returns the
/// files.
std::vector<std::filesystem::path> write_theory(const std::vector<TheoryResult>& results,
                                                const std::filesystem::path& directory);

}  // namespace projnce
