#include "projnce/pipeline/report_options.h"

#include "projnce/core/table_reader.h"

namespace projnce {

ReportOptions read_report_options(Table& table) {
  ReportOptions options;
  TableReader(table, "report")
      .field("page", options.page)
      .field("max_points", options.max_points, between(100, 100'000))
      .field("events", options.events)
      .done();
  return options;
}

}  // namespace projnce
