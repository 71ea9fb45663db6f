# Every library that projnce is made of, found once. script/setup installs them on Debian.
if(NOT PROJECT_IS_TOP_LEVEL)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # who links projnce needs its torch, in any folder
endif()
find_package(Torch REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
# LibTorch's headers are not ours to warn about.
set_target_properties(torch PROPERTIES
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${TORCH_INCLUDE_DIRS}")

if(PROJNCE_BUILD_PROGRAM)
  find_package(CLI11 REQUIRED)
  find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh REQUIRED)  # the template: any precision
  include(trainer_dependencies)
  if(projnce_missing)
    list(JOIN projnce_missing ", " projnce_missing)
    message(FATAL_ERROR "The trainer needs ${projnce_missing}. `script/setup` installs what it needs on "
                        "Debian; -DPROJNCE_BUILD_PROGRAM=OFF builds the library alone.")
  endif()
endif()
if(PROJNCE_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(PROJNCE_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
