#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/inference/run_evaluation.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/build/report_builder.h"
#include "projnce/report/build/report_writer.h"
#include "projnce/report/page/report_samples.h"
#include "projnce/report/tensorboard/tensorboard.h"
#include "projnce/train/trainer.h"

namespace projnce::run {

/// Writes metrics.jsonl, one JSON object per line. A resumed run truncates the file to its length
/// at the checkpoint, so the result is the same as without interruption. Lines that cannot be
/// written because the disk is full are buffered and written with later ones. `append` is not
/// thread-safe.
class MetricsLog {
 public:
  /// Truncates an existing file to `keep_bytes` bytes and appends after them.
  MetricsLog(const std::filesystem::path& path, int64_t keep_bytes, Logger logger);

  void append(const nlohmann::ordered_json& line) { file_.append(line.dump() + "\n"); }
  /// Length of the file, including buffered lines.
  int64_t bytes() const { return file_.bytes(); }
  /// True if some lines are buffered but not written yet.
  bool is_behind() const { return file_.is_behind(); }

  /// Flushes the file to disk (fsync). May run concurrently with `append`. Throws on failure.
  void sync() const { file_.sync(); }

 private:
  io::AppendFile file_;
};

struct MetricsWriterOptions {
  int64_t keep_bytes = 0;  ///< length of metrics.jsonl at the checkpoint
  int64_t keep_steps = 0;  ///< step of the checkpoint; 0: new run
  bool events = true;      ///< write TensorBoard event files
  bool live = false;       ///< update report.html during training
};

/// Writes the metrics of a training to metrics.jsonl, TensorBoard and the live report. Used by rank
/// 0 only.
class MetricsWriter {
 public:
  MetricsWriter(const io::RunPaths& paths, const MetricsWriterOptions& options,
                const Logger& logger);

  /// Adds the line "step": the loss and its parts, the learning rate and the gradient norm.
  void add_step(const train::StepReport& report);
  /// Adds the line "spike" with the loss.
  void add_spike(const train::StepReport& report);
  /// Adds the line "skipped_step".
  void add_skipped_step(const train::StepReport& report);
  /// Adds the line "epoch": the means of the loss and its parts.
  void add_epoch(const train::EpochReport& report);
  /// Adds one line per evaluated protocol, and the validation accuracy and the bounds if there are
  /// any.
  void add_evaluation(const train::EpochReport& report, const inference::Evaluation& evaluation);

  /// Writes the final results to TensorBoard: the confusion matrix as an image and the test samples
  /// to the projector. `embeddings` [N, D] belong to `samples.test`.
  void add_samples(const report::ReportSamples& samples, std::span<const float> embeddings,
                   int64_t step);

  MetricsLog& metrics() { return metrics_; }

 private:
  void append(int64_t step, int64_t epoch, const char* split, const std::string& name,
              nlohmann::ordered_json value);
  void open_events(int64_t keep_steps, const Logger& logger);

  io::RunPaths paths_;
  MetricsLog metrics_;
  std::optional<report::EventFile> events_;
  std::optional<report::LiveReport> live_;
};

/// Appends `command`, which started or resumed the run, to commands.txt.
void record_command(const io::RunPaths& paths, const std::string& command);

/// Computes the embedding maps and the audit, writes report.html, and adds the results to
/// TensorBoard. Returns the path of the report. On failure, logs a warning and returns an empty
/// path.
std::filesystem::path write_final_report(const report::EvaluatedRun& run,
                                         const config::ReportOptions& options,
                                         MetricsWriter& metrics, int64_t step,
                                         const Logger& logger);

}  // namespace projnce::run
