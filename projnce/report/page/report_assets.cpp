#include "projnce/report/page/report_html.h"

// The assembler includes the files; CMake tracks them as dependencies. In its depend mode, ccache
// would miss a change and return a stale object, hence: ccache:disable
#define PROJNCE_EMBED(symbol, file)       \
  __asm__(                                \
      ".section .rodata\n"                \
      ".global " #symbol                  \
      "\n"                                \
      ".global " #symbol "_end\n" #symbol \
      ":\n"                               \
      ".incbin \"" file "\"\n" #symbol    \
      "_end:\n"                           \
      ".byte 0\n"                         \
      ".previous\n");                     \
  extern "C" const char symbol[];         \
  extern "C" const char symbol##_end[]

PROJNCE_EMBED(projnce_report_template, PROJNCE_REPORT_TEMPLATE);
PROJNCE_EMBED(projnce_report_script, PROJNCE_REPORT_SCRIPT);
PROJNCE_EMBED(projnce_report_style, PROJNCE_REPORT_STYLE);

namespace projnce::report {

std::string_view report_template() {
  return {projnce_report_template, projnce_report_template_end};
}

std::string_view report_script() {
  return {projnce_report_script, projnce_report_script_end};
}

std::string_view report_style() {
  return {projnce_report_style, projnce_report_style_end};
}

}  // namespace projnce::report
