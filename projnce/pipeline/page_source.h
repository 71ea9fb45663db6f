#pragma once

#include "projnce/report/run_server.h"

namespace projnce {

/// The pages that `projnce serve` shows.
PageSource make_page_source();

}  // namespace projnce
