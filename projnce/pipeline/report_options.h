#pragma once

#include <cstdint>

#include "projnce/core/table.h"

namespace projnce {

/// What a run tells about itself, beside its results.
struct ReportOptions {
  bool page = true;             ///< map, audit and report.html at the end
  int64_t max_points = 10'000;  ///< samples on the page's maps, of both parts together
  bool events = true;           ///< TensorBoard's files
};

/// Reads [report].
ReportOptions read_report_options(Table& table);

}  // namespace projnce
