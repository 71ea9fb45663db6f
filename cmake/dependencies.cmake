# Finds all dependencies of projnce. script/setup installs them on Debian.
if(NOT PROJECT_IS_TOP_LEVEL)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # targets that link projnce need torch in any folder
endif()
include(torch)
if(PROJNCE_TORCH_NOT_FOUND)
  message(FATAL_ERROR "${PROJNCE_TORCH_NOT_FOUND}")
endif()
if(PROJNCE_BUILD_PROGRAM AND NOT PROJNCE_TORCH_CXX11_ABI)
  message(FATAL_ERROR "torch ${PROJNCE_TORCH_VERSION} in ${PROJNCE_TORCH_LIBRARY_DIR} was built with the old C++ "
                      "ABI (_GLIBCXX_USE_CXX11_ABI=0), which the libraries of this system do not have: the trainer "
                      "cannot be linked. Install torch 2.7 or newer, or build only the library with "
                      "-DPROJNCE_BUILD_PROGRAM=OFF.")
endif()

if(PROJNCE_BUILD_PROGRAM)
  find_package(CLI11 REQUIRED)
  find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh REQUIRED)  # header-only template, for any precision
  include(trainer_dependencies)
  if(projnce_missing)
    list(JOIN projnce_missing ", " projnce_missing)
    message(FATAL_ERROR "The trainer needs ${projnce_missing}. On Debian, `script/setup` installs it; "
                        "-DPROJNCE_BUILD_PROGRAM=OFF builds only the library.")
  endif()
endif()
if(PROJNCE_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(PROJNCE_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
