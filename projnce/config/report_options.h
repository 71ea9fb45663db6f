#pragma once

#include <cstdint>

#include "projnce/core/field_visitor.h"

namespace projnce::config {

/// What a run tells about itself, beside its results.
struct ReportOptions {
  bool page = true;             ///< map, audit and report.html at the end
  int64_t max_points = 10'000;  ///< samples on the page's maps, of both parts together
  bool events = true;           ///< TensorBoard's files
};

/// The section [report].
void list_fields(ReportOptions& options, FieldVisitor& fields);

}  // namespace projnce::config
