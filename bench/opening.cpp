#include "bench/opening.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "projnce/core/error.h"
#include "projnce/dataset/open_dataset.h"

namespace projnce::bench {

namespace {

double resident_mb() {
  size_t all = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

double peak_mb() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

nlohmann::ordered_json open_and_measure(const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  const auto name = dataset::recognize_dataset(path).value_or("folder");
  auto options = dataset::dataset_options(name);
  options.root = path;
  dataset::OpenContext context;
  context.threads = static_cast<int>(std::thread::hardware_concurrency());
  const auto opened = dataset::open_dataset(options, context);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return {
      {"dataset", name},          {"train", opened.train->size()}, {"test", opened.test->size()},
      {"seconds", taken.count()}, {"resident_mb", resident_mb()},  {"peak_mb", peak_mb()}};
}

}  // namespace

int measure_opening(int argc, char** argv) {
  try {
    if (argc != 3) fail("usage: projnce-image-bench --open PATH");
    std::cout << open_and_measure(argv[2]).dump() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace projnce::bench
