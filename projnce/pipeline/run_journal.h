#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "projnce/core/logging.h"
#include "projnce/pipeline/live_page.h"
#include "projnce/pipeline/metrics_log.h"
#include "projnce/report/run_paths.h"

namespace projnce {

struct JournalOptions {
  int64_t keep_bytes = 0;  ///< of metrics.jsonl: what the checkpoint had seen
  bool live = false;       ///< keep report.html fresh
};

/// What a training tells while it goes on, and everything that listens: metrics.jsonl and the page.
/// Rank 0 has one.
class RunJournal {
 public:
  RunJournal(const RunPaths& paths, const JournalOptions& options, const Logger& logger);

  void append(int64_t step, int64_t epoch, const char* split, const std::string& name,
              nlohmann::ordered_json value);

  MetricsLog& metrics() { return metrics_; }

 private:
  MetricsLog metrics_;
  std::optional<LivePage> page_;
};

/// Adds a line to commands.txt: what was typed to start or resume the run.
void record_command(const RunPaths& paths, const std::string& command);

}  // namespace projnce
