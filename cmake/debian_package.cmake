# `cpack -G DEB` in the build directory packages the program and libprojnce as a .deb that depends on the
# Debian packages they are linked with.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME projnce)
set(CPACK_PACKAGE_CONTACT "projnce developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "Supervised contrastive representation learning for images and audio, robust to label noise")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_NAME projnce)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})  # libprojnce is in the package itself
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS dataset-fashion-mnist)

# A package cannot depend on a torch that is not packaged.
set(CPACK_PROJNCE_TORCH "${PROJNCE_TORCH_LIBRARY_DIR}")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/debian_package_check.cmake)
include(CPack)
