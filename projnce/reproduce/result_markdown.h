#pragma once

#include <string>

#include "projnce/reproduce/result.h"

namespace projnce {

/// The result as a Markdown file: its tables with the paper's numbers beside ours, and every run
/// behind them. Texts of a result are plain; nothing in them becomes markup.
std::string result_markdown(const Result& result);

}  // namespace projnce
