#pragma once

#include <cstdint>

#include "projnce/core/field_visitor.h"

namespace projnce::config {

/// Reports of a run.
struct ReportOptions {
  bool page = true;             ///< write embedding maps, audit and report.html after training
  int64_t max_points = 10'000;  ///< maximum number of samples on the maps, over both splits
  bool events = true;           ///< write TensorBoard event files
};

/// Section [report].
void list_fields(ReportOptions& options, FieldVisitor& fields);

}  // namespace projnce::config
