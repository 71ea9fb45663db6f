#include "bench/compare/machine.h"

#include <dlfcn.h>
#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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

/// The file that LibTorch's matrix products come from, links followed.
std::string blas_library() {
  Dl_info info{};
  void* const product = ::dlsym(RTLD_DEFAULT, "sgemm_");
  if (product == nullptr || ::dladdr(product, &info) == 0) return "inside LibTorch";
  std::error_code ignored;
  const auto file = std::filesystem::canonical(info.dli_fname, ignored);
  // Debian calls every BLAS libblas.so.3, in a folder that says whose it is.
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
          {"libtorch", TORCH_VERSION},
          {"load", load[0]}};
}

}  // namespace projnce::bench
