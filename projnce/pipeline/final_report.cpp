#include "projnce/pipeline/final_report.h"

#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/pipeline/report_writer.h"

namespace projnce {

namespace {

/// The embeddings of test samples with these indices; damaged ones have none, so rows are looked
/// up.
torch::Tensor rows_with(const EmbeddedSet& set, const std::vector<int64_t>& indices) {
  const auto wanted = torch::tensor(indices, torch::kLong);
  const auto rows = torch::searchsorted(set.indices.contiguous(), wanted);
  return set.embeddings.index({rows}).to(torch::kFloat32).contiguous();
}

/// What cannot be written there costs nothing else.
void show_in_tensorboard(const ReportSamples& shown, const JudgedRun& run, RunJournal& journal,
                         int64_t step, const Logger& logger) try {
  const auto indices = shown.test ? shown.test->indices : std::vector<int64_t>{};
  const auto rows = rows_with(run.samples.test, indices);
  journal.show_samples(shown, {rows.data_ptr<float>(), static_cast<size_t>(rows.numel())}, step);
} catch (const Error& error) {
  logger->warn("TensorBoard lacks the confusion matrix or the embeddings: {}", error.what());
}

}  // namespace

std::filesystem::path write_final_report(const JudgedRun& run, const ReportOptions& options,
                                         RunJournal& journal, int64_t step, const Logger& logger) {
  try {
    logger->info("making the report: audit, maps, pictures");
    const auto shown = write_report_data(run, options, logger);
    ReportWriter().write({run.paths.root}, run.paths.report());
    show_in_tensorboard(shown, run, journal, step, logger);
    return run.paths.report();
  } catch (const Error& error) {
    logger->warn("the run is complete, but its report could not be made: {}", error.what());
    return {};
  }
}

}  // namespace projnce
