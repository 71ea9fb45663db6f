#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/pipeline/metrics_log.h"
#include "projnce/pipeline/report_writer.h"
#include "projnce/report/event_file.h"
#include "projnce/report/report_samples.h"
#include "projnce/report/run_paths.h"

namespace projnce {

struct JournalOptions {
  int64_t keep_bytes = 0;  ///< of metrics.jsonl: what the checkpoint had seen
  int64_t keep_steps = 0;  ///< that the checkpoint had seen; 0: a new run
  bool events = true;      ///< TensorBoard's files
  bool live = false;       ///< keep report.html fresh
};

/// What a training tells while it goes on, and everything that listens: metrics.jsonl,
/// TensorBoard's files and the report. Rank 0 has one.
class RunJournal {
 public:
  RunJournal(const RunPaths& paths, const JournalOptions& options, const Logger& logger);

  void append(int64_t step, int64_t epoch, const char* split, const std::string& name,
              nlohmann::ordered_json value);

  /// What is known of the samples at the end, where TensorBoard shows it: the confusion matrix as a
  /// picture, the test samples of the map in its projector. `embeddings` are theirs, [N, D].
  void show_samples(const ReportSamples& samples, std::span<const float> embeddings, int64_t step);

  MetricsLog& metrics() { return metrics_; }

 private:
  void open_events(int64_t keep_steps, const Logger& logger);

  RunPaths paths_;
  MetricsLog metrics_;
  std::optional<EventFile> events_;
  std::optional<LiveReport> live_;
};

/// Adds a line to commands.txt: what was typed to start or resume the run.
void record_command(const RunPaths& paths, const std::string& command);

}  // namespace projnce
