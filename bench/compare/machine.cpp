#include "bench/compare/machine.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "bench/compare/fma_peak.h"
#include "projnce/core/threads.h"

namespace projnce::bench {

namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

/// Extracts "oneDNN 3.12.0" from torch's description, such as "Intel(R) MKL-DNN v3.12.0 (...)".
std::string with_version(const std::string& library, const std::string& description) {
  std::smatch version;
  const bool found = std::regex_search(description, version, std::regex("[0-9]+(\\.[0-9]+)+"));
  return found ? library + " " + version.str() : library;
}

std::string onednn_library() {
  return at::hasMKLDNN() ? with_version("oneDNN", at::get_mkldnn_version()) : "no oneDNN";
}

/// Name of torch's BLAS: torch from pip includes MKL, Debian's torch loads the installed BLAS.
std::string blas_library() {
  if (at::hasMKL()) return with_version("MKL", at::get_mkl_version());
  Dl_info info{};
  void* const product = ::dlsym(RTLD_DEFAULT, "sgemm_");
  if (product == nullptr || ::dladdr(product, &info) == 0) return "unknown BLAS";
  std::error_code ignored;
  const auto file = std::filesystem::canonical(info.dli_fname, ignored);
  // On Debian every BLAS is named libblas.so.3; its folder identifies the library.
  const auto folder = file.parent_path().filename().string();
  return folder == "blas" ? "the reference BLAS" : folder + "/" + file.filename().string();
}

}  // namespace

int set_all_threads(int threads) {
  threads = set_threads(threads);
  using SetThreads = void (*)(int);
  const auto set_blas_threads =
      reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set_blas_threads != nullptr) set_blas_threads(threads);
  return threads;
}

nlohmann::ordered_json describe_machine(int threads) {
  double load[1] = {0};
  ::getloadavg(load, 1);
  return {{"processor", processor_name()},
          {"cores", available_cores()},
          {"threads", threads},
          {"instructions", fma_instructions()},
          {"blas", blas_library()},
          {"onednn", onednn_library()},
          {"torch", TORCH_VERSION},
          {"load", load[0]}};
}

}  // namespace projnce::bench
