#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projnce/report/run_list.h"

namespace projnce {

/// A name of any bytes as text for addresses and forms: percent-encoded, but for slashes.
std::string run_key(std::string_view name);

/// Address of the run's report on the server: "/run/demo/supcon-1/".
std::string run_address(std::string_view name);

/// The list of runs as HTML, the last changed first, with a choice of some to compare. `folder` is
/// where they are.
std::string run_index_html(std::vector<RunFacts> runs, std::string_view folder);

/// A message with a link back to the list.
std::string message_html(std::string_view title, std::string_view message);

}  // namespace projnce
