#include "projnce/pipeline/run_journal.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/png_writer.h"
#include "projnce/report/confusion_matrix.h"
#include "projnce/report/event_metrics.h"
#include "projnce/report/projector.h"

namespace projnce {

RunJournal::RunJournal(const RunPaths& paths, const JournalOptions& options, const Logger& logger)
    : paths_(paths), metrics_(paths.metrics(), options.keep_bytes, logger) {
  if (options.events) open_events(options.keep_steps, logger);
  if (options.live) live_.emplace(paths.root, logger);
}

void RunJournal::open_events(int64_t keep_steps, const Logger& logger) {
  try {
    const auto start = event_file_start(keep_steps > 0 ? std::optional(keep_steps) : std::nullopt);
    events_.emplace(paths_.root, start, logger);
  } catch (const Error& error) {
    logger->warn("TensorBoard's file is left out: {}", error.what());
  }
}

void RunJournal::append(int64_t step, int64_t epoch, const char* split, const std::string& name,
                        nlohmann::ordered_json value) {
  const nlohmann::ordered_json line = {{"step", step},
                                       {"epoch", epoch},
                                       {"split", split},
                                       {"name", name},
                                       {"value", std::move(value)}};
  metrics_.append(line);
  if (events_) add_metrics(*events_, line, wall_time_now());
  if (live_) live_->update();
}

void RunJournal::show_samples(const ReportSamples& samples, std::span<const float> embeddings,
                              int64_t step) {
  if (!events_) return;
  if (samples.class_names.size() <= kMostConfusionClasses) {
    const auto picture = confusion_matrix_image(samples.confusion, samples.class_names);
    events_->image("test/confusion", step, encode_png(picture), picture.width, picture.height,
                   wall_time_now());
    events_->flush();
  }
  if (!samples.test) return;
  const auto& test = *samples.test;
  auto names = test.names;
  if (names.empty()) {
    for (const int64_t index : test.indices) names.push_back(std::to_string(index));
  }
  write_projector(paths_.root, {.embeddings = embeddings,
                                .dimensions = embeddings.size() / test.size(),
                                .labels = test.labels,
                                .predictions = test.predicted,
                                .class_names = samples.class_names,
                                .sample_names = std::move(names)});
}

void record_command(const RunPaths& paths, const std::string& command) {
  if (command.empty()) return;
  std::ifstream file(paths.commands());
  const std::string before{std::istreambuf_iterator<char>(file), {}};
  write_file_atomically(paths.commands(), before + command + "\n");
}

}  // namespace projnce
