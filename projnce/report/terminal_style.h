#pragma once

#include <functional>

namespace projnce {

/// What the reader's terminal can show. The default is for files and pipes.
struct TerminalStyle {
  bool colours = false;
  bool unicode = false;
  int width = 80;  ///< columns
};

/// What an environment variable holds, or null: std::getenv.
using EnvironmentLookup = std::function<const char*(const char*)>;

/// The style of an open file: plain where it is no terminal, or TERM says that it can do nothing.
/// NO_COLOR, where it is not empty, takes the colours; other characters than ASCII need a locale
/// with UTF-8.
TerminalStyle terminal_style(int file, const EnvironmentLookup& environment);

}  // namespace projnce
