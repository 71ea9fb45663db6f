#include "projnce/report/page_parts.h"

// The assembler reads the files; CMake says which ones and when they change.
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

PROJNCE_EMBED(projnce_page_template, PROJNCE_PAGE_TEMPLATE);
PROJNCE_EMBED(projnce_page_script, PROJNCE_PAGE_SCRIPT);
PROJNCE_EMBED(projnce_page_style, PROJNCE_PAGE_STYLE);

namespace projnce {

std::string_view page_template() {
  return {projnce_page_template, projnce_page_template_end};
}

std::string_view page_script() {
  return {projnce_page_script, projnce_page_script_end};
}

std::string_view page_style() {
  return {projnce_page_style, projnce_page_style_end};
}

}  // namespace projnce
