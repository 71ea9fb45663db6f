#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projnce/report/run_list.h"

namespace projnce {

/// A name of any bytes as text for addresses and forms: percent-encoded, but for slashes.
std::string run_key(std::string_view name);

/// Where a server has the run's page: "/run/demo/supcon-1/".
std::string run_address(std::string_view name);

/// The list of runs, the last changed first, with a choice of some to compare. `folder` is where
/// they are.
std::string run_index_page(std::vector<RunFacts> runs, std::string_view folder);

/// A page that says one sentence and leads back to the list. It has the list's style.
std::string sentence_page(std::string_view title, std::string_view sentence);

}  // namespace projnce
