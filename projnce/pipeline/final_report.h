#pragma once

#include <cstdint>
#include <filesystem>

#include "projnce/pipeline/report_builder.h"
#include "projnce/pipeline/run_journal.h"

namespace projnce {

/// The report that a training ends with: makes map and audit, writes report.html, and shows the
/// same in TensorBoard. Returns where the report is; empty where it could not be made, which costs
/// a warning but not the run.
std::filesystem::path write_final_report(const JudgedRun& run, const ReportOptions& options,
                                         RunJournal& journal, int64_t step, const Logger& logger);

}  // namespace projnce
