#include "projnce/run/metrics_writer.h"

#include <fcntl.h>
#include <torch/types.h>

#include <cerrno>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/eval/protocol.h"
#include "projnce/inference/results_json.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/image/image_writer.h"
#include "projnce/report/build/report_writer.h"
#include "projnce/report/tensorboard/confusion_matrix.h"
#include "projnce/report/tensorboard/tensorboard.h"

namespace projnce::run {

namespace fs = std::filesystem;

namespace {

io::FileDescriptor open_metrics(const fs::path& path, int64_t keep_bytes) {
  if (fs::exists(path) && !fs::is_regular_file(path)) {
    fail(path.string(), " is not a regular file");
  }
  if (keep_bytes > 0 &&
      (!fs::exists(path) || static_cast<int64_t>(fs::file_size(path)) < keep_bytes)) {
    fail(path.string(), " is shorter than at the checkpoint; the run cannot resume exactly");
  }
  // O_NONBLOCK: opening a pipe must not block; ftruncate then rejects it.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
  io::FileDescriptor file(::open(path.c_str(), kFlags, 0666));
  if (!file.is_open() || ::ftruncate(file.get(), keep_bytes) != 0) {
    io::fail_system(errno, "cannot write ", path.string());
  }
  return file;
}

}  // namespace

MetricsLog::MetricsLog(const fs::path& path, int64_t keep_bytes, Logger logger)
    : file_(open_metrics(path, keep_bytes), keep_bytes, path.string(), std::move(logger)) {}

MetricsWriter::MetricsWriter(const io::RunPaths& paths, const MetricsWriterOptions& options,
                             const Logger& logger)
    : paths_(paths), metrics_(paths.metrics(), options.keep_bytes, logger) {
  if (options.events) open_events(options.keep_steps, logger);
  if (options.live) live_.emplace(paths.root, logger);
}

void MetricsWriter::open_events(int64_t keep_steps, const Logger& logger) {
  try {
    const auto start =
        report::event_file_start(keep_steps > 0 ? std::optional(keep_steps) : std::nullopt);
    events_.emplace(paths_.root, start, logger);
  } catch (const Error& error) {
    logger->warn("no TensorBoard event file: {}", error.what());
  }
}

void MetricsWriter::append(int64_t step, int64_t epoch, const char* split, const std::string& name,
                           nlohmann::ordered_json value) {
  const nlohmann::ordered_json line = {{"step", step},
                                       {"epoch", epoch},
                                       {"split", split},
                                       {"name", name},
                                       {"value", std::move(value)}};
  metrics_.append(line);
  if (events_) report::add_metrics(*events_, line, report::wall_time_now());
  if (live_) live_->update();
}

void MetricsWriter::add_step(const train::StepReport& report) {
  nlohmann::ordered_json value = report.values;
  value["learning_rate"] = report.learning_rate;
  value["gradient_norm"] = report.gradient_norm;
  append(report.step, report.epoch, "train", "step", std::move(value));
}

void MetricsWriter::add_spike(const train::StepReport& report) {
  append(report.step, report.epoch, "train", "spike", {{"loss", report.values.at("loss")}});
}

void MetricsWriter::add_skipped_step(const train::StepReport& report) {
  append(report.step, report.epoch, "train", "skipped_step", {{"steps", 1}});
}

void MetricsWriter::add_epoch(const train::EpochReport& report) {
  append(report.step, report.epoch, "train", "epoch", report.means);
}

void MetricsWriter::add_evaluation(const train::EpochReport& report,
                                   const inference::Evaluation& evaluation) {
  for (const auto& result : evaluation.results) {
    append(report.step, report.epoch, "test", eval::protocol_name(result.protocol),
           inference::brief_json(result));
  }
  if (evaluation.validation) {
    append(report.step, report.epoch, "validation",
           eval::protocol_name(evaluation.results.front().protocol),
           {{"top1", evaluation.validation_accuracy}});
  }
  if (evaluation.information) {
    append(report.step, report.epoch, "test", "information",
           inference::bounds_json(*evaluation.information));
  }
}

void MetricsWriter::add_samples(const report::ReportSamples& samples,
                                std::span<const float> embeddings, int64_t step) {
  if (!events_) return;
  if (samples.class_names.size() <= report::kMostConfusionClasses) {
    const auto image = report::confusion_matrix_image(samples.confusion, samples.class_names);
    events_->image("test/confusion", step, io::encode_png(image), image.width, image.height,
                   report::wall_time_now());
    events_->flush();
  }
  if (!samples.test) return;
  const auto& test = *samples.test;
  auto names = test.names;
  if (names.empty()) {
    for (const int64_t index : test.indices) names.push_back(std::to_string(index));
  }
  report::write_projector(paths_.root, {.embeddings = embeddings,
                                        .dimensions = embeddings.size() / test.size(),
                                        .labels = test.labels,
                                        .predictions = test.predicted,
                                        .class_names = samples.class_names,
                                        .sample_names = std::move(names)});
}

void record_command(const io::RunPaths& paths, const std::string& command) {
  if (command.empty()) return;
  const auto before = io::read_optional_text(paths.commands(), io::kMostConfigBytes);
  io::write_file_atomically(paths.commands(), before + command + "\n");
}

namespace {

/// Embeddings of the test samples `indices`. Looks rows up by index because corrupt samples have
/// none.
torch::Tensor embeddings_of(const inference::EmbeddedSet& set,
                            const std::vector<int64_t>& indices) {
  const auto wanted = torch::tensor(indices, torch::kLong);
  const auto rows = torch::searchsorted(set.indices.contiguous(), wanted);
  return set.embeddings.index({rows}).to(torch::kFloat32).contiguous();
}

/// Logs a warning on failure.
void add_to_tensorboard(const report::ReportSamples& shown, const report::EvaluatedRun& run,
                        MetricsWriter& metrics, int64_t step, const Logger& logger) try {
  const auto indices = shown.test ? shown.test->indices : std::vector<int64_t>{};
  const auto rows = embeddings_of(run.samples.test, indices);
  metrics.add_samples(shown, {rows.data_ptr<float>(), static_cast<size_t>(rows.numel())}, step);
} catch (const Error& error) {
  logger->warn("cannot add the confusion matrix or the embeddings to TensorBoard: {}",
               error.what());
}

}  // namespace

std::filesystem::path write_final_report(const report::EvaluatedRun& run,
                                         const config::ReportOptions& options,
                                         MetricsWriter& metrics, int64_t step,
                                         const Logger& logger) {
  try {
    logger->info("writing the report: audit, embedding maps, images");
    const auto shown = report::write_report_data(run, options, logger);
    report::ReportWriter().write({run.paths.root}, run.paths.report());
    add_to_tensorboard(shown, run, metrics, step, logger);
    return run.paths.report();
  } catch (const Error& error) {
    logger->warn("the run is complete, but its report could not be written: {}", error.what());
    return {};
  }
}

}  // namespace projnce::run
