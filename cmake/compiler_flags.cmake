# Flags of our own sources, carried by one interface target; nothing is set globally.
add_library(projnce_flags INTERFACE)
target_compile_options(projnce_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${PROJNCE_WERROR}>:-Werror>
  $<$<BOOL:${PROJNCE_CCACHE}>:-fpch-preprocess>)
if(PROJNCE_SANITIZE)
  target_compile_options(projnce_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
