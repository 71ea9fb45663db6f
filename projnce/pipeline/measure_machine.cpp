#include "projnce/pipeline/measure_machine.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "projnce/core/error.h"
#include "projnce/core/table.h"
#include "projnce/core/threads.h"
#include "projnce/kernel/isa.h"
#include "projnce/loss/registry.h"

namespace projnce {

namespace {

constexpr double kGiga = 1e-9;

/// Median over at least three runs and a quarter of a second, after one to warm up.
double median_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kLeast = 3;
  constexpr double kLongEnough = 0.25;
  work();
  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < kLeast || total < kLongEnough) {
    const auto start = Clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

double gemm_gflops() {
  constexpr int64_t kSide = 1024;
  const auto a = torch::randn({kSide, kSide});
  const auto seconds = median_seconds([&a] { a.mm(a); });
  return 2.0 * kSide * kSide * kSide / seconds * kGiga;
}

double loss_seconds(const std::string& name, int64_t rows, const MeasureRequest& request) {
  Table table{.values = {{"name", {name, "bench"}}}};
  const auto loss = make_loss(
      table,
      {.num_classes = request.classes, .embedding_dim = request.dim, .feature_dim = request.dim},
      {});
  const auto x = torch::randn({rows, request.dim}).requires_grad_();
  const auto labels = torch::randint(request.classes, {rows}, torch::kInt64);
  const auto options = torch::nn::functional::NormalizeFuncOptions().dim(1);
  return median_seconds([&] {
    x.mutable_grad() = torch::Tensor();
    loss->forward(self_batch(torch::nn::functional::normalize(x, options), labels)).backward();
  });
}

}  // namespace

nlohmann::ordered_json measure_machine(const MeasureRequest& request) {
  for (const auto rows : request.rows) {
    if (rows < 2 || rows > 1 << 20) {
      fail("bench: ", rows, " rows; expected a number from 2 to ", 1 << 20);
    }
  }
  const int threads = set_threads(request.threads);
  torch::manual_seed(1);
  auto losses = nlohmann::ordered_json::array();
  for (const std::string name : {"supcon", "projnce", "projnce-mlp"}) {
    for (const auto rows : request.rows) {
      const double seconds = loss_seconds(name, rows, request);
      nlohmann::ordered_json entry = {
          {"loss", name}, {"rows", rows}, {"milliseconds", seconds * 1e3}};
      const double pairs = static_cast<double>(rows) * static_cast<double>(rows);
      if (name != "projnce-mlp") {
        entry["gflops"] = 4 * pairs * static_cast<double>(request.dim) / seconds * kGiga;
      }
      losses.push_back(entry);
    }
  }
  return {{"threads", threads},
          {"instructions", isa_name(best_isa())},
          {"gemm_gflops", gemm_gflops()},
          {"losses", losses}};
}

}  // namespace projnce
