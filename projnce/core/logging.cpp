#include "projnce/core/logging.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

namespace projnce {

Logger make_logger() {
  auto terminal = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  terminal->set_pattern("%^%v%$");
  auto logger = std::make_shared<spdlog::logger>("projnce", std::move(terminal));
  logger->flush_on(spdlog::level::info);
  return logger;
}

void log_to_file(const Logger& logger, const std::filesystem::path& file) {
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
  sink->set_pattern("%Y-%m-%d %H:%M:%S %l %v");
  logger->sinks().push_back(std::move(sink));
}

}  // namespace projnce
