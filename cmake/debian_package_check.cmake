# Run by cpack before it builds the package.
if(CPACK_GENERATOR STREQUAL "DEB" AND NOT CPACK_PROJNCE_TORCH MATCHES "^/usr/lib")
  message(FATAL_ERROR "A .deb of projnce depends on Debian's libtorch, but this build uses the torch in "
                      "${CPACK_PROJNCE_TORCH}: run `apt-get install libtorch-dev` on Debian 13 or newer, then "
                      "`cmake --preset release -DCMAKE_PREFIX_PATH=/usr` and build again.")
endif()
