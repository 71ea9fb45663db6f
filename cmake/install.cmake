# What `cmake --install` installs: libprojnce.so with its headers, the program, the trainer's
# libraries, and the CMake package `projnce` that other projects find them by.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/projnce)

# The headers of a folder of projnce/; further arguments go to install(DIRECTORY).
function(projnce_install_headers folder)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/projnce/${folder}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/projnce FILES_MATCHING PATTERN "*.h" ${ARGN})
endfunction()

# A LibTorch that is not where the system looks is found again where it was. Named here, because
# INSTALL_RPATH_USE_LINK_PATH leaves out directories of the source tree, such as .venv.
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
install(FILES ${PROJECT_SOURCE_DIR}/projnce/projnce.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/projnce)
install(FILES ${PROJECT_BINARY_DIR}/generated/projnce/core/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/projnce/core)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
foreach(folder projection loss information eval)
  projnce_install_headers(${folder})
endforeach()
projnce_install_headers(encoder PATTERN native EXCLUDE)  # who computes is no part of the interface
# What needs more than LibTorch goes with the trainer.
projnce_install_headers(core REGEX "/(logging|progress|toml)\\.h$" EXCLUDE)
# Of the kernels only what the headers above include.
foreach(header nearest_rows point_tree repulsion smoothing)
  install(FILES ${PROJECT_SOURCE_DIR}/projnce/kernel/${header}.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/projnce/kernel)
endforeach()

if(PROJNCE_BUILD_PYTHON)
  set_target_properties(projnce_ops PROPERTIES INSTALL_RPATH "$ORIGIN;${torch_directory}")
  install(TARGETS projnce_ops)  # for programs that load TorchScript modules with a loss inside
endif()

if(PROJNCE_BUILD_PROGRAM)
  set_target_properties(projnce_files PROPERTIES EXPORT_NAME files)
  set_target_properties(projnce_trainer PROPERTIES EXPORT_NAME trainer)
  install(TARGETS projnce_files projnce_trainer EXPORT projnceTrainerTargets
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT projnceTrainerTargets NAMESPACE projnce:: DESTINATION ${package_directory})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/trainer_dependencies.cmake
          DESTINATION ${package_directory})
  foreach(header logging progress toml)
    install(FILES ${PROJECT_SOURCE_DIR}/projnce/core/${header}.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/projnce/core)
  endforeach()
  foreach(folder io dataset augment report loader checkpoint distributed train export pipeline)
    projnce_install_headers(${folder})
  endforeach()

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
