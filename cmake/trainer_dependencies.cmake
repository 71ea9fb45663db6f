# Dependencies of projnce_files and projnce_trainer besides LibTorch. Included by the build and by the
# installed package for its component `trainer`. Sets projnce_missing to the names of missing packages; if
# none is missing, defines projnce::files_dependencies.
set(projnce_missing "")

foreach(projnce_package IN ITEMS Threads nlohmann_json spdlog tomlplusplus PNG ZLIB JPEG GIF LibArchive
                                 OpenSSL PkgConfig)
  find_package(${projnce_package} QUIET)
  if(NOT ${projnce_package}_FOUND)
    list(APPEND projnce_missing ${projnce_package})
  endif()
endforeach()

# Packages found through pkg-config.
# Since libtiff 4.5, error handlers are per file; before, they are global.
set(projnce_modules libturbojpeg libtiff-4>=4.5 libwebp libwebpdemux libxxhash sndfile samplerate
                    cairo cpp-httplib)
set(projnce_targets turbojpeg tiff webp webpdemux xxhash sndfile samplerate cairo httplib)
foreach(projnce_module projnce_target IN ZIP_LISTS projnce_modules projnce_targets)
  if(PkgConfig_FOUND AND NOT TARGET PkgConfig::${projnce_target})
    pkg_check_modules(${projnce_target} QUIET IMPORTED_TARGET ${projnce_module})
  endif()
  if(NOT TARGET PkgConfig::${projnce_target})
    list(APPEND projnce_missing ${projnce_module})
  endif()
endforeach()

# torch's include directory contains another version of fmt, which would hide the one that spdlog is
# linked with. This directory comes first and contains only that one.
find_path(PROJNCE_FMT_INCLUDE_DIR fmt/format.h)
mark_as_advanced(PROJNCE_FMT_INCLUDE_DIR)
if(PROJNCE_FMT_INCLUDE_DIR)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/projnce_fmt")
  file(CREATE_LINK "${PROJNCE_FMT_INCLUDE_DIR}/fmt" "${CMAKE_BINARY_DIR}/projnce_fmt/fmt" SYMBOLIC)
else()
  list(APPEND projnce_missing fmt)
endif()

if(NOT projnce_missing AND NOT TARGET projnce::files_dependencies)
  add_library(projnce::files_dependencies INTERFACE IMPORTED)
  target_include_directories(projnce::files_dependencies SYSTEM BEFORE INTERFACE
                             "${CMAKE_BINARY_DIR}/projnce_fmt")
  target_link_libraries(projnce::files_dependencies INTERFACE
    nlohmann_json::nlohmann_json spdlog::spdlog tomlplusplus::tomlplusplus PNG::PNG ZLIB::ZLIB
    PkgConfig::turbojpeg JPEG::JPEG GIF::GIF PkgConfig::tiff PkgConfig::webpdemux PkgConfig::webp
    LibArchive::LibArchive PkgConfig::sndfile PkgConfig::samplerate OpenSSL::Crypto
    PkgConfig::xxhash PkgConfig::cairo Threads::Threads)
endif()
