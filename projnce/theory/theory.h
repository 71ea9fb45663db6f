#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/theory/experiment.h"

namespace projnce::theory {

/// Which experiments to run.
struct TheoryRequest {
  std::vector<std::string> only = {};  ///< ids such as "T3"; empty: all but the slow ones
  bool all = false;                    ///< if true, run the slow ones too, which train encoders
  TheoryOptions options = {};
};

/// Ids of all experiments, in order.
std::vector<std::string> experiment_ids();

/// Throws an Error that names the nearest valid id if `request` has an unknown one.
void check_request(const TheoryRequest& request);

/// Runs the experiments one after the other and calls `finished` with each result. Throws as
/// check_request.
std::vector<TheoryResult> run_theory(const TheoryRequest& request,
                                     const std::function<void(const TheoryResult&)>& finished);

/// Number of claims that do not hold, of all results.
int64_t violated_claims(const std::vector<TheoryResult>& results);

/// Exit status of the command: 1 if a claim does not hold, else 0.
int exit_status(const std::vector<TheoryResult>& results);

/// Tables and violated claims of one experiment for the terminal; claims that hold are counted.
std::string theory_text(const TheoryResult& result);

/// All results: tables as text, the chart's values as numbers, claims, seconds.
nlohmann::ordered_json theory_json(const std::vector<TheoryResult>& results);

/// Makes the directory unless it exists. Throws an Error if that fails.
void make_output_directory(const std::filesystem::path& directory);

/// Writes theory.html with all results and the `command` that made them, and a chart T1.svg, ...
/// for each. The files depend on the seed and the machine's arithmetic only. Returns the files.
std::vector<std::filesystem::path> write_theory(const std::vector<TheoryResult>& results,
                                                const std::string& command,
                                                const std::filesystem::path& directory);

}  // namespace projnce::theory
