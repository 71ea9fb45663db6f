#include <benchmark/benchmark.h>

#include <algorithm>
#include <string_view>

#include "bench/compare/compare.h"

int main(int argc, char** argv) {
  const bool compare = std::any_of(
      argv, argv + argc, [](std::string_view argument) { return argument == "--compare"; });
  if (compare) return projnce::bench::compare_main(argc, argv);

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
