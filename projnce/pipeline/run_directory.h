#pragma once

#include <filesystem>

#include "projnce/report/run_paths.h"

namespace projnce {

/// Throws where `root` already holds a run or anything else, or cannot be written to; writes
/// nothing.
void check_run_can_be_made(const std::filesystem::path& root);

/// Makes the directories of a new run.
RunPaths make_run(const std::filesystem::path& root);

/// A directory that holds a run; throws where it does not.
RunPaths find_run(const std::filesystem::path& root);

/// Removes half-written files that a killed process left in the run. REQUIRES: the run's lock is
/// held.
void remove_leftovers(const RunPaths& paths);

/// `base`, or `base-2`, `base-3`, ... where that one is taken.
std::filesystem::path free_run_name(const std::filesystem::path& base);

}  // namespace projnce
