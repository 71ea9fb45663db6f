# Compiler flags of our own sources, in one interface target; nothing is set globally.
add_library(projnce_flags INTERFACE)
target_compile_features(projnce_flags INTERFACE cxx_std_20)
target_compile_options(projnce_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  # Designated initializers omit fields with defaults on purpose.
  -Wno-missing-field-initializers
  $<$<BOOL:${PROJNCE_WERROR}>:-Werror>
  $<$<BOOL:${PROJNCE_CCACHE}>:-fpch-preprocess>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 has a false positive for "literal" + std::string in optimized builds.
  target_compile_options(projnce_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 14)
  # GCC 14 warns about the std::vector<bool>::reserve() of an empty vector in torch::autograd::Function.
  target_compile_options(projnce_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
endif()
# Lazy binding would leave the table of library functions writable.
target_link_options(projnce_flags INTERFACE LINKER:-z,relro,-z,now)

# For the targets that read foreign bytes. libprojnce reads none, and its kernels are not slowed down.
add_library(projnce_hardened INTERFACE)
if(NOT PROJNCE_SANITIZE)
  target_compile_options(projnce_hardened INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>
    -fstack-protector-strong -fstack-clash-protection)
endif()
if(PROJNCE_SANITIZE)
  target_compile_options(projnce_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(projnce_flags INTERFACE -fsanitize=address,undefined)
endif()
