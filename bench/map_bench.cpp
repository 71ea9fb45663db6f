// Our half of a comparison of maps, bench/peers/maps.py:
//
//     projnce-map-bench map THREADS ROWS.npy POSITIONS.npy    makes a map of rows, tells how long
//     it took projnce-map-bench judge ROWS.npy POSITIONS.npy          tells how good a map is,
//     whoever made it
//
// Prints a line of JSON. For `map`: seconds and cpu_seconds, of which `affinity_seconds` until the
// first iteration, and what the map's own divergence is. For `judge`: `divergence`, exact, from the
// affinities of perplexity 30, and `preserved`, the share of the 10 nearest rows that are among the
// 10 nearest in the map.
#include <torch/torch.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bench/compare/stopwatch.h"
#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/eval/tsne/tsne.h"
#include "projnce/io/npy.h"

namespace projnce::bench {
namespace {

constexpr int64_t kNeighbors = 10;

torch::Tensor read_matrix(const char* path) {
  const auto array = read_npy(path);
  if (array.type != NpyType::kFloat32 || array.shape.size() != 2) {
    fail(path, ": expected a matrix of float32");
  }
  const auto tensor =
      torch::empty({static_cast<int64_t>(array.shape[0]), static_cast<int64_t>(array.shape[1])});
  std::copy(array.data.begin(), array.data.end(), static_cast<std::byte*>(tensor.data_ptr()));
  return tensor;
}

nlohmann::ordered_json make_map(const char* from, const char* to) {
  const auto rows = read_matrix(from);
  const Stopwatch watch;
  std::optional<double> affinity_seconds;
  const auto result = tsne(rows, {}, [&](const TsneState&) {
    if (!affinity_seconds) affinity_seconds = watch.seconds();
    return true;
  });
  nlohmann::ordered_json report{{"seconds", watch.seconds()},
                                {"cpu_seconds", watch.cpu_seconds()},
                                {"affinity_seconds", *affinity_seconds},
                                {"own_divergence", result.divergence}};
  const auto* numbers = result.positions.data_ptr<float>();
  write_npy(to, {numbers, static_cast<size_t>(result.positions.numel())},
            {static_cast<uint64_t>(result.positions.size(0)), 2});
  return report;
}

torch::Tensor nearest(const torch::Tensor& rows) {
  return nearest_neighbors(
             rows, rows,
             {.neighbors = kNeighbors, .nearness = Nearness::kDistance, .exclude_self = true})
      .indices;
}

nlohmann::ordered_json judge(const char* rows_path, const char* positions_path) {
  const auto rows = read_matrix(rows_path);
  const auto positions = read_matrix(positions_path);
  const auto there = nearest(rows).unsqueeze(2).eq(nearest(positions).unsqueeze(1));  // [N, k, k]
  return {{"divergence", tsne_divergence(rows, positions, TsneOptions{}.perplexity)},
          {"preserved", there.any(2).to(torch::kFloat64).mean().item<double>()}};
}

int run(int argc, char** argv) {
  const std::string_view action = argc > 1 ? argv[1] : "";
  if (action == "map" && argc == 5) {
    set_threads(std::stoi(argv[2]));
    std::cout << make_map(argv[3], argv[4]).dump() << '\n';
  } else if (action == "judge" && argc == 4) {
    set_threads(0);
    std::cout << judge(argv[2], argv[3]).dump() << '\n';
  } else {
    fail(
        "usage: projnce-map-bench map THREADS ROWS.npy POSITIONS.npy | judge ROWS.npy "
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
