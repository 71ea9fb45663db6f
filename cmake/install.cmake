# Install rules: libprojnce.so with its headers, the program, the trainer's libraries, and the CMake
# package `projnce` for find_package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/projnce)

# Installs headers and everything they include. All other headers are internal and may change between versions.
function(projnce_install_headers)
  set(waiting ${ARGN})
  set(done "")
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST done OR header STREQUAL "projnce/core/version.h")
      continue()
    endif()
    list(APPEND done ${header})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"projnce/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      list(APPEND waiting ${included})
    endforeach()
  endwhile()
endfunction()

# Run path of a LibTorch outside of the system directories. Set explicitly, because
# INSTALL_RPATH_USE_LINK_PATH omits directories of the source tree, such as .venv.
set(torch_directory "${PROJNCE_TORCH_LIBRARY_DIR}")
if(torch_directory MATCHES "^/usr/lib")
  set(torch_directory "")
endif()
set_target_properties(projnce PROPERTIES
  INSTALL_RPATH "${torch_directory}" INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS projnce EXPORT projnceTargets
        LIBRARY COMPONENT program NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT projnceTargets NAMESPACE projnce:: DESTINATION ${package_directory})
projnce_install_headers(projnce/projnce.h)
install(FILES ${PROJECT_BINARY_DIR}/generated/projnce/core/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/projnce/core)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

if(PROJNCE_BUILD_PROGRAM)
  set_target_properties(projnce_files PROPERTIES EXPORT_NAME files)
  set_target_properties(projnce_trainer PROPERTIES EXPORT_NAME trainer)
  install(TARGETS projnce_files projnce_trainer EXPORT projnceTrainerTargets
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT projnceTrainerTargets NAMESPACE projnce:: DESTINATION ${package_directory})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/trainer_dependencies.cmake
          DESTINATION ${package_directory})
  # Entry points for other programs; the headers that these include are installed too.
  projnce_install_headers(
    projnce/core/progress.h projnce/core/toml.h projnce/data/inspect_data.h projnce/data/training_data.h
    projnce/inference/array_files.h projnce/inference/audit.h projnce/inference/embed.h
    projnce/inference/evaluate.h projnce/inference/predict.h projnce/inference/results_json.h
    projnce/inference/trained_model.h
    projnce/io/filesystem/run_directory.h projnce/loader/loaders.h projnce/report/build/report.h
    projnce/run/train.h projnce/train/trainer.h projnce/train/training_checkpoint.h)

  file(RELATIVE_PATH library_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(projnce_program PROPERTIES
    INSTALL_RPATH "$ORIGIN/${library_from_program};${torch_directory}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS projnce_program RUNTIME COMPONENT program)
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/projnceConfig.cmake.in ${PROJECT_BINARY_DIR}/projnceConfig.cmake
  INSTALL_DESTINATION ${package_directory}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/projnceConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/projnceConfig.cmake ${PROJECT_SOURCE_DIR}/cmake/torch.cmake
              ${PROJECT_BINARY_DIR}/projnceConfigVersion.cmake
        DESTINATION ${package_directory})
if(PROJNCE_BUILD_PROGRAM)
  include(debian_package)
endif()
