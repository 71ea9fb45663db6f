#include "projnce/report/terminal_style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace projnce {

namespace {

std::string variable(const EnvironmentLookup& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : value;
}

/// The first that is set decides, as in the C library.
bool locale_is_utf8(const EnvironmentLookup& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    auto locale = variable(environment, name);
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

}  // namespace

TerminalStyle terminal_style(int file, const EnvironmentLookup& environment) {
  TerminalStyle style;
  const auto terminal = variable(environment, "TERM");
  if (::isatty(file) == 0 || terminal.empty() || terminal == "dumb") return style;
  style.colours = variable(environment, "NO_COLOR").empty();
  style.unicode = locale_is_utf8(environment);
  winsize size = {};
  if (::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

}  // namespace projnce
