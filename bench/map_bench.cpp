// Our side of the t-SNE comparison in bench/peers/maps.py:
//
//     projnce-map-bench map THREADS ROWS.npy POSITIONS.npy
//     projnce-map-bench evaluate ROWS.npy POSITIONS.npy
//
// `map` computes and times a map of the rows; `evaluate` scores any map.
//
// Prints a line of JSON. For `map`: seconds, cpu_seconds, `affinity_seconds` before the first
// iteration, and the final divergence. For `evaluate`: `divergence`, the exact KL divergence with
// affinities of perplexity 30, and `preserved`, the fraction of the 10 nearest rows that are among
// the 10 nearest neighbors on the map.
#include <torch/types.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bench/compare/stopwatch.h"
#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/eval/tsne/tsne.h"
#include "projnce/inference/array_files.h"

namespace projnce::bench {
namespace {

constexpr int64_t kNeighbors = 10;

nlohmann::ordered_json make_map(const char* from, const char* to) {
  const auto rows = inference::read_matrix(from);
  const Stopwatch watch;
  std::optional<double> affinity_seconds;
  const auto result = eval::tsne(rows, {}, [&](const eval::TsneState&) {
    if (!affinity_seconds) affinity_seconds = watch.seconds();
    return true;
  });
  nlohmann::ordered_json report{{"seconds", watch.seconds()},
                                {"cpu_seconds", watch.cpu_seconds()},
                                {"affinity_seconds", *affinity_seconds},
                                {"own_divergence", result.divergence}};
  inference::write_array(to, result.positions);
  return report;
}

torch::Tensor nearest(const torch::Tensor& rows) {
  return eval::nearest_neighbors(rows, rows,
                                 {.neighbors = kNeighbors,
                                  .similarity = kernel::Similarity::kDistance,
                                  .exclude_self = true})
      .indices;
}

nlohmann::ordered_json evaluate_protocol(const char* rows_path, const char* positions_path) {
  const auto rows = inference::read_matrix(rows_path);
  const auto positions = inference::read_matrix(positions_path);
  const auto there = nearest(rows).unsqueeze(2).eq(nearest(positions).unsqueeze(1));  // [N, k, k]
  return {{"divergence", eval::tsne_divergence(rows, positions, eval::TsneOptions{}.perplexity)},
          {"preserved", there.any(2).to(torch::kFloat64).mean().item<double>()}};
}

int run(int argc, char** argv) {
  const std::string_view action = argc > 1 ? argv[1] : "";
  if (action == "map" && argc == 5) {
    set_threads(std::stoi(argv[2]));
    std::cout << make_map(argv[3], argv[4]).dump() << '\n';
  } else if (action == "evaluate" && argc == 4) {
    set_threads(0);
    std::cout << evaluate_protocol(argv[2], argv[3]).dump() << '\n';
  } else {
    fail(
        "usage: projnce-map-bench map THREADS ROWS.npy POSITIONS.npy | evaluate ROWS.npy "
        "POSITIONS.npy");
  }
  return 0;
}

}  // namespace
}  // namespace projnce::bench

int main(int argc, char** argv) {
  try {
    return projnce::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
