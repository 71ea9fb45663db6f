# Every library that projnce is made of, found once. script/setup installs them on Debian.
find_package(Torch REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
# LibTorch's headers are not ours to warn about.
set_target_properties(torch PROPERTIES
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${TORCH_INCLUDE_DIRS}")

if(PROJNCE_BUILD_PROGRAM)
  find_package(PkgConfig REQUIRED)
  find_package(Threads REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(spdlog REQUIRED)
  find_package(tomlplusplus REQUIRED)
  find_package(PNG REQUIRED)
  find_package(ZLIB REQUIRED)
  pkg_check_modules(turbojpeg REQUIRED IMPORTED_TARGET libturbojpeg)
  pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
  find_package(JPEG REQUIRED)
  find_package(LibArchive REQUIRED)
  pkg_check_modules(sndfile REQUIRED IMPORTED_TARGET sndfile)
  pkg_check_modules(samplerate REQUIRED IMPORTED_TARGET samplerate)
  find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh REQUIRED)  # the template: any precision
  pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)
  pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
  find_path(GLOO_INCLUDE_DIR gloo/context.h REQUIRED)  # c10d's headers include them
  find_library(GLOO_LIBRARY gloo REQUIRED)

  add_library(projnce_files_dependencies INTERFACE)
  target_link_libraries(projnce_files_dependencies INTERFACE
    nlohmann_json::nlohmann_json spdlog::spdlog tomlplusplus::tomlplusplus PNG::PNG ZLIB::ZLIB
    PkgConfig::turbojpeg JPEG::JPEG LibArchive::LibArchive PkgConfig::sndfile PkgConfig::samplerate
    OpenSSL::Crypto PkgConfig::xxhash PkgConfig::cairo Threads::Threads)
  target_include_directories(projnce_files_dependencies SYSTEM INTERFACE ${KISSFFT_INCLUDE_DIR})
endif()
if(PROJNCE_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(PROJNCE_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
