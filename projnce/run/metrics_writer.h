#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/build/report_builder.h"
#include "projnce/report/build/report_writer.h"
#include "projnce/report/page/report_samples.h"
#include "projnce/report/tensorboard/tensorboard.h"

namespace projnce::run {

/// metrics.jsonl: one JSON object a line. It can be cut back to what a checkpoint had seen, so that
/// a resumed run writes the same file as one that never stopped. Lines that a full disk does not
/// take are kept and written with later ones. Use `append` from one thread.
class MetricsLog {
 public:
  /// Goes on behind the first `keep_bytes` bytes; the rest of an earlier file is dropped.
  MetricsLog(const std::filesystem::path& path, int64_t keep_bytes, Logger logger);

  void append(const nlohmann::ordered_json& line) { file_.append(line.dump() + "\n"); }
  /// Length of the file with all lines in it.
  int64_t bytes() const { return file_.bytes(); }
  /// Whether the disk has not taken all lines.
  bool is_behind() const { return file_.is_behind(); }

  /// Brings what is written to the disk itself; may run beside `append`. Throws where the system
  /// cannot.
  void sync() const { file_.sync(); }

 private:
  io::AppendFile file_;
};

struct MetricsWriterOptions {
  int64_t keep_bytes = 0;  ///< of metrics.jsonl: what the checkpoint had seen
  int64_t keep_steps = 0;  ///< that the checkpoint had seen; 0: a new run
  bool events = true;      ///< TensorBoard's files
  bool live = false;       ///< keep report.html fresh
};

/// What a training tells while it goes on, and everything that listens: metrics.jsonl,
/// TensorBoard's files and the report. Rank 0 has one.
class MetricsWriter {
 public:
  MetricsWriter(const io::RunPaths& paths, const MetricsWriterOptions& options,
                const Logger& logger);

  void append(int64_t step, int64_t epoch, const char* split, const std::string& name,
              nlohmann::ordered_json value);

  /// What is known of the samples at the end, where TensorBoard shows it: the confusion matrix as a
  /// image, the test samples of the map in its projector. `embeddings` are theirs, [N, D].
  void show_samples(const report::ReportSamples& samples, std::span<const float> embeddings,
                    int64_t step);

  MetricsLog& metrics() { return metrics_; }

 private:
  void open_events(int64_t keep_steps, const Logger& logger);

  io::RunPaths paths_;
  MetricsLog metrics_;
  std::optional<report::EventFile> events_;
  std::optional<report::LiveReport> live_;
};

/// Adds a line to commands.txt: what was typed to start or resume the run.
void record_command(const io::RunPaths& paths, const std::string& command);

/// The report that a training ends with: makes map and audit, writes report.html, and shows the
/// same in TensorBoard. Returns where the report is; empty where it could not be made, which costs
/// a warning but not the run.
std::filesystem::path write_final_report(const report::EvaluatedRun& run,
                                         const config::ReportOptions& options,
                                         MetricsWriter& journal, int64_t step,
                                         const Logger& logger);

}  // namespace projnce::run
