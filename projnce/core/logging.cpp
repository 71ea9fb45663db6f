#include "projnce/core/logging.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <string>
#include <utility>

namespace projnce {

namespace {

using MessageBuffer = spdlog::sinks::ringbuffer_sink_mt;

constexpr size_t kBufferedMessages = 1000;

}  // namespace

Logger make_logger() {
  auto terminal = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  terminal->set_pattern("%^%v%$");
  auto buffer = std::make_shared<MessageBuffer>(kBufferedMessages);
  auto logger = std::make_shared<spdlog::logger>(
      "projnce", spdlog::sinks_init_list{std::move(terminal), std::move(buffer)});
  logger->flush_on(spdlog::level::info);
  return logger;
}

void log_as_rank(const Logger& logger, int rank) {
  logger->set_level(spdlog::level::warn);
  logger->sinks().front()->set_pattern("%^rank " + std::to_string(rank) + ": %v%$");
}

void log_to_file(const Logger& logger, const std::filesystem::path& file) {
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
  sink->set_pattern("%Y-%m-%d %H:%M:%S %l %v");
  for (auto& other : logger->sinks()) {
    const auto buffer = std::dynamic_pointer_cast<MessageBuffer>(other);
    if (!buffer) continue;
    for (const auto& message : buffer->last_raw()) sink->log(message);
    other = std::move(sink);
    return;
  }
  logger->sinks().push_back(std::move(sink));
}

}  // namespace projnce
