# Finds PyTorch's C++ libraries (LibTorch) and defines the target `torch` from their own include and
# library directories. find_package(Torch) is not used: for CUDA wheels it requires a CUDA toolkit.
#
# Search order:
#   1. CMAKE_PREFIX_PATH: a LibTorch directory, or torch.utils.cmake_prefix_path of a Python package
#   2. the torch of a Python interpreter: PROJNCE_PYTHON, else .venv of this checkout, else python3 (as script/python)
#   3. the system's own package (libtorch-dev)
#
# The build includes this file, and so does the installed CMake package. Sets PROJNCE_TORCH_VERSION,
# PROJNCE_TORCH_LIBRARY_DIR, PROJNCE_TORCH_CXX11_ABI and PROJNCE_TORCH_PYTHON (empty unless found
# through Python), or PROJNCE_TORCH_NOT_FOUND, a message that says what was found and what to do.
set(PROJNCE_TORCH_MINIMUM 2.6)
set(PROJNCE_TORCH_NOT_FOUND "")
set(PROJNCE_TORCH_PYTHON "")
set(PROJNCE_PYTHON "$ENV{PROJNCE_PYTHON}" CACHE FILEPATH "Python interpreter whose torch to build for")

# Sets `variable` to the version of the LibTorch with these headers, or to an empty string.
function(projnce_read_torch_version include_directory variable)
  set(${variable} "" PARENT_SCOPE)
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(EXISTS "${include_directory}/${header}")
      file(READ "${include_directory}/${header}" text)
      set(version "")
      foreach(part MAJOR MINOR PATCH)
        if(NOT text MATCHES "define TORCH_VERSION_${part} ([0-9]+)")
          break()
        endif()
        list(APPEND version ${CMAKE_MATCH_1})
      endforeach()
      list(LENGTH version parts)
      if(parts EQUAL 3)
        list(JOIN version "." version)
        set(${variable} "${version}" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

# Sets `variable` to the directory of the interpreter's torch package, or to an empty string. pip's build
# environment hides installed packages with two environment variables, so the interpreter is queried a
# second time without them.
function(projnce_ask_python_for_torch python variable)
  set(${variable} "" PARENT_SCOPE)
  string(CONCAT program "from importlib.util import find_spec\n" "torch = find_spec('torch')\n"
                        "print(torch.submodule_search_locations[0] if torch else '')")
  set(as_it_is "")
  set(without_build_environment --unset=PYTHONPATH --unset=PYTHONNOUSERSITE)
  foreach(environment as_it_is without_build_environment)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env ${${environment}} "${python}" -c "${program}"
                    OUTPUT_VARIABLE directory OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(EXISTS "${directory}/include/torch")
      if(IS_SYMLINK "${directory}/include/torch")  # Debian's package links to libtorch-dev, which is enough
        file(REAL_PATH "${directory}/include/torch" directory)
        string(REGEX REPLACE "/include/torch$" "" directory "${directory}")
      endif()
      set(${variable} "${directory}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The libstdc++ ABI of a LibTorch: 1 is the current C++11 ABI.
function(projnce_read_torch_abi directory variable)
  set(abi 1)
  if(EXISTS "${directory}/share/cmake/Torch/TorchConfig.cmake")
    file(READ "${directory}/share/cmake/Torch/TorchConfig.cmake" text)
    if(text MATCHES "_GLIBCXX_USE_CXX11_ABI=([01])")
      set(abi ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${variable} ${abi} PARENT_SCOPE)
endfunction()

# Each candidate is "DIRECTORY|how it was found".
set(projnce_candidates "")
foreach(projnce_prefix IN LISTS CMAKE_PREFIX_PATH)
  get_filename_component(projnce_prefix "${projnce_prefix}" ABSOLUTE)
  string(REGEX REPLACE "/share/cmake(/Torch)?/?$" "" projnce_prefix "${projnce_prefix}")
  if(EXISTS "${projnce_prefix}/include/torch")
    list(APPEND projnce_candidates "${projnce_prefix}|CMAKE_PREFIX_PATH")
  endif()
endforeach()
if(NOT projnce_candidates)
  set(projnce_pythons "${PROJNCE_PYTHON}")
  if(NOT PROJNCE_PYTHON)
    if(EXISTS "${CMAKE_SOURCE_DIR}/.venv/bin/python")
      list(APPEND projnce_pythons "${CMAKE_SOURCE_DIR}/.venv/bin/python")
    endif()
    find_program(PROJNCE_SYSTEM_PYTHON python3)
    mark_as_advanced(PROJNCE_SYSTEM_PYTHON)
    if(PROJNCE_SYSTEM_PYTHON)
      list(APPEND projnce_pythons "${PROJNCE_SYSTEM_PYTHON}")
    endif()
  endif()
  foreach(projnce_python IN LISTS projnce_pythons)
    projnce_ask_python_for_torch("${projnce_python}" projnce_directory)
    if(projnce_directory)
      list(APPEND projnce_candidates "${projnce_directory}|${projnce_python}")
    endif()
  endforeach()
  list(APPEND projnce_candidates "/usr|system package")
endif()

set(projnce_rejected "")
set(PROJNCE_TORCH_VERSION "")
foreach(projnce_candidate IN LISTS projnce_candidates)
  string(REGEX MATCH "^(.*)\\|(.*)$" projnce_unused "${projnce_candidate}")
  set(projnce_directory "${CMAKE_MATCH_1}")
  set(projnce_origin "${CMAKE_MATCH_2}")
  projnce_read_torch_version("${projnce_directory}/include" projnce_version)
  if(NOT projnce_version)
    continue()
  endif()
  if(projnce_version VERSION_LESS PROJNCE_TORCH_MINIMUM)
    list(APPEND projnce_rejected "torch ${projnce_version} in ${projnce_directory} (${projnce_origin})")
    continue()
  endif()
  find_library(PROJNCE_TORCH_CPU_LIBRARY torch_cpu NO_CACHE NO_DEFAULT_PATH
               PATHS "${projnce_directory}/lib" "${projnce_directory}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  if(NOT PROJNCE_TORCH_CPU_LIBRARY)
    list(APPEND projnce_rejected "headers without libraries in ${projnce_directory} (${projnce_origin})")
    continue()
  endif()
  set(PROJNCE_TORCH_VERSION ${projnce_version})
  get_filename_component(PROJNCE_TORCH_LIBRARY_DIR "${PROJNCE_TORCH_CPU_LIBRARY}" DIRECTORY)
  projnce_read_torch_abi("${projnce_directory}" PROJNCE_TORCH_CXX11_ABI)
  if(projnce_origin MATCHES "/")
    set(PROJNCE_TORCH_PYTHON "${projnce_origin}")
  endif()
  break()
endforeach()

if(NOT PROJNCE_TORCH_VERSION)
  if(projnce_rejected)
    list(JOIN projnce_rejected "; " projnce_rejected)
    set(projnce_found "found ${projnce_rejected}")
  else()
    set(projnce_found "found none")
  endif()
  string(CONCAT PROJNCE_TORCH_NOT_FOUND
    "projnce needs PyTorch ${PROJNCE_TORCH_MINIMUM} or newer, but ${projnce_found}. Run `script/setup`, which "
    "installs it into .venv, or `pip install torch`, or set -DCMAKE_PREFIX_PATH=/path/to/libtorch.")
elseif(NOT TARGET torch)
  message(STATUS "torch ${PROJNCE_TORCH_VERSION}: ${projnce_directory} (${projnce_origin})")
  set(projnce_libraries "")
  foreach(projnce_library torch torch_cpu c10 torch_cuda c10_cuda)
    set(projnce_file "${PROJNCE_TORCH_LIBRARY_DIR}/lib${projnce_library}.so")
    if(EXISTS "${projnce_file}")
      list(APPEND projnce_libraries "${projnce_file}")
    endif()
  endforeach()
  add_library(torch INTERFACE IMPORTED GLOBAL)
  set_target_properties(torch PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES
      "${projnce_directory}/include;${projnce_directory}/include/torch/csrc/api/include"
    INTERFACE_INCLUDE_DIRECTORIES
      "${projnce_directory}/include;${projnce_directory}/include/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES "${projnce_libraries}"
    INTERFACE_COMPILE_DEFINITIONS "_GLIBCXX_USE_CXX11_ABI=${PROJNCE_TORCH_CXX11_ABI}")
endif()

# OpenMP with torch's own runtime (wheels bundle a copy), so that a process loads only one.
if(PROJNCE_TORCH_VERSION AND NOT TARGET projnce_openmp)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  file(GLOB projnce_gomp "${PROJNCE_TORCH_LIBRARY_DIR}/libgomp*.so*")
  add_library(projnce_openmp INTERFACE IMPORTED GLOBAL)
  if(projnce_gomp AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(GET projnce_gomp 0 projnce_gomp)
    set_target_properties(projnce_openmp PROPERTIES
      INTERFACE_COMPILE_OPTIONS "${OpenMP_CXX_FLAGS}" INTERFACE_LINK_LIBRARIES "${projnce_gomp}")
  else()
    set_target_properties(projnce_openmp PROPERTIES INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_CXX)
  endif()
endif()
