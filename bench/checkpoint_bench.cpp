// Time that a checkpoint blocks training: ResNet-18 with AdamW's two moments, 134 MB.
#include <benchmark/benchmark.h>
#include <torch/types.h>

#include <chrono>
#include <filesystem>

#include "projnce/checkpoint/checkpoints.h"
#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/threads.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/encoder/resnet.h"

namespace projnce::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

checkpoint::TensorFile resnet18_with_moments() {
  const encoder::EmbeddingModel model(std::make_shared<encoder::ResNet>(encoder::ResNetOptions{
                                          .input = {.channels = 3, .height = 32, .width = 32}}),
                                      encoder::HeadOptions{});
  checkpoint::TensorFile file;
  file.tensors = checkpoint::named_state(model, "model.");
  for (const auto& item : model.named_parameters()) {
    for (const auto* moment : {"mean.", "square."}) {
      file.tensors.emplace_back(std::string("optimizer.") + moment + item.key(),
                                torch::rand_like(item.value().detach()));
    }
  }
  return file;
}

/// Times `save` only; waits for the background write outside of the timed region.
void checkpoint_stall(benchmark::State& state) {
  set_threads(0);
  const auto file = resnet18_with_moments();
  const auto folder = fs::temp_directory_path() / "projnce-checkpoint-bench";
  {
    checkpoint::CheckpointWriter writer(checkpoint::CheckpointDir(folder), make_logger());
    int64_t step = 0;
    double longest = 0;
    double whole = 0;
    for (auto _ : state) {
      const auto start = Clock::now();
      writer.save({.step = ++step, .state = file});
      const double stall = seconds_since(start);
      state.SetIterationTime(stall);
      longest = std::max(longest, stall);
      writer.wait();
      whole += seconds_since(start);
    }
    int64_t bytes = 0;
    for (const auto& [name, tensor] : file.tensors) bytes += static_cast<int64_t>(tensor.nbytes());
    state.counters["MB"] = static_cast<double>(bytes) / 1e6;
    state.counters["longest_stall_ms"] = 1e3 * longest;
    state.counters["on_disk_after_ms"] = 1e3 * whole / static_cast<double>(step);
  }
  fs::remove_all(folder);
}
BENCHMARK(checkpoint_stall)->UseManualTime()->Iterations(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace projnce::bench
