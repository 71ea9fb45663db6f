#pragma once

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>

namespace projnce {

/// Logger for user-facing messages. Writes to standard error, and to a file after log_to_file.
/// Always passed as an argument; there is no global logger.
using Logger = std::shared_ptr<spdlog::logger>;

Logger make_logger();

/// Configures the logger of a nonzero rank: warnings only, prefixed with the rank.
void log_as_rank(const Logger& logger, int rank);

/// Also appends all messages to `file`, starting with those logged before this call.
void log_to_file(const Logger& logger, const std::filesystem::path& file);

}  // namespace projnce
