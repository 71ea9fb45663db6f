#pragma once

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>

namespace projnce {

/// Messages for the person who runs the program: standard error, and `file` too once it is there.
/// Functions take it as an argument; there is no global one.
using Logger = std::shared_ptr<spdlog::logger>;

Logger make_logger();

/// For a rank other than the first: only warnings, behind the rank's number.
void log_as_rank(const Logger& logger, int rank);

/// From now on, messages are also appended to `file`, after those that came before it was known.
void log_to_file(const Logger& logger, const std::filesystem::path& file);

}  // namespace projnce
