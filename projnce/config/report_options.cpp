#include "projnce/config/report_options.h"

namespace projnce::config {

void list_fields(ReportOptions& options, FieldVisitor& fields) {
  fields.field("page", options.page)
      .field("max_points", options.max_points, between(100, 100'000))
      .field("events", options.events);
}

}  // namespace projnce::config
