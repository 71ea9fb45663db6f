#pragma once

#include <string>

#include "projnce/reproduce/result.h"

namespace projnce {

/// The result's tables in columns, for a terminal.
std::string result_terminal(const Result& result);

}  // namespace projnce
