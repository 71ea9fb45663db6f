#pragma once

#include "projnce/core/logging.h"
#include "projnce/report/run_server.h"

namespace projnce {

/// The pages that `projnce serve` shows.
PageSource make_page_source(const Logger& logger);

}  // namespace projnce
