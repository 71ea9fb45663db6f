// One AdamW update of ResNet-18: our fused implementation, LibTorch's, and the gradient norm.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "projnce/core/allocator.h"
#include "projnce/core/threads.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/encoder/resnet.h"
#include "projnce/train/adamw.h"

namespace projnce::bench {
namespace {

train::NamedParameters resnet18_parameters() {
  disable_malloc_trim();
  set_threads(0);
  const encoder::EmbeddingModel model(std::make_shared<encoder::ResNet>(encoder::ResNetOptions{
                                          .input = {.channels = 3, .height = 32, .width = 32}}),
                                      encoder::HeadOptions{});
  train::NamedParameters parameters;
  for (const auto& item : model.named_parameters()) {
    item.value().mutable_grad() = torch::randn_like(item.value().detach());
    parameters.emplace_back(item.key(), item.value());
  }
  return parameters;
}

void adamw_ours(benchmark::State& state) {
  train::AdamW optimizer(resnet18_parameters(), {});
  for (auto _ : state) optimizer.step(1e-3);
}
BENCHMARK(adamw_ours)->UseRealTime()->Unit(benchmark::kMillisecond);

void adamw_libtorch(benchmark::State& state) {
  std::vector<torch::Tensor> parameters;
  for (const auto& [name, parameter] : resnet18_parameters()) parameters.push_back(parameter);
  torch::optim::AdamW optimizer(parameters, torch::optim::AdamWOptions(1e-3).weight_decay(1e-4));
  for (auto _ : state) optimizer.step();
}
BENCHMARK(adamw_libtorch)->UseRealTime()->Unit(benchmark::kMillisecond);

void gradient_norm_ours(benchmark::State& state) {
  const train::AdamW optimizer(resnet18_parameters(), {});
  for (auto _ : state) benchmark::DoNotOptimize(optimizer.gradient_norm());
}
BENCHMARK(gradient_norm_ours)->UseRealTime()->Unit(benchmark::kMillisecond);

void gradient_norm_libtorch(benchmark::State& state) {
  const auto parameters = resnet18_parameters();
  for (auto _ : state) {
    double square = 0;
    for (const auto& [name, parameter] : parameters) {
      const double norm = parameter.grad().norm().item<double>();
      square += norm * norm;
    }
    benchmark::DoNotOptimize(square);
  }
}
BENCHMARK(gradient_norm_libtorch)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace projnce::bench
