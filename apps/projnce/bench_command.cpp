#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/measure_machine.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/threads.h"

namespace projnce::app::bench_command {

namespace {

const char* const kSummary = "benchmark losses and training steps on this machine";
const char* const kDetails =
    "  projnce bench\n"
    "  projnce bench --rows 256 4096 --threads 1\n"
    "\n"
    "Loss times cover forward and backward of one batch of random embeddings; GFLOP/s counts\n"
    "4 N^2 D operations for N embeddings of dimension D. Training times cover one full step with\n"
    "two views, with LibTorch's convolutions and with the native ones (see encoder.engine). For\n"
    "comparisons with other implementations, run script/bench --compare and --training.";

void print_table(const nlohmann::ordered_json& result) {
  std::cout << fmt::format("{}, {}; LibTorch GEMM: {:.0f} GFLOP/s\n\n",
                           counted(result.at("threads").get<int>(), "thread"),
                           result.at("instructions").get<std::string>(),
                           result.at("gemm_gflops").get<double>())
            << fmt::format("{:<12} {:>8} {:>12} {:>9}\n", "loss", "rows", "time", "GFLOP/s");
  for (const auto& entry : result.at("losses")) {
    const auto rate =
        entry.contains("gflops") ? fmt::format("{:.0f}", entry.at("gflops").get<double>()) : "";
    std::cout << fmt::format("{:<12} {:>8} {:>9.2f} ms {:>9}\n",
                             entry.at("loss").get<std::string>(), entry.at("rows").get<int64_t>(),
                             entry.at("milliseconds").get<double>(), rate);
  }
}

void print_training(const nlohmann::ordered_json& result) {
  std::cout << fmt::format("\nencoder.engine = \"auto\" selects: {}\n\n",
                           result.at("engine").get<std::string>())
            << fmt::format("{:<12} {:>8} {:>12} {:>12} {:>9}\n", "training", "batch", "torch",
                           "native", "speedup");
  for (const auto& entry : result.at("training")) {
    std::cout << fmt::format("{:<12} {:>8} {:>9.2f} ms", entry.at("encoder").get<std::string>(),
                             entry.at("batch").get<int64_t>(), entry.at("torch_ms").get<double>());
    if (entry.contains("gain")) {
      std::cout << fmt::format(" {:>9.2f} ms {:>8.2f}x", entry.at("native_ms").get<double>(),
                               entry.at("gain").get<double>());
    }
    std::cout << '\n';
  }
}

}  // namespace

void add(CLI::App& app, Context& /*context*/) {
  struct Arguments {
    MeasureRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "bench", kSummary, kDetails);
  add_number(*command, "--rows", arguments->request.rows, between(2, MeasureRequest::kMostRows),
             "batch sizes");
  // With more threads than cores, the benchmark would measure context switches.
  add_number(*command, "--threads", arguments->request.threads, between(0, available_cores()),
             "number of threads; 0: one per core available to this process");
  add_json_flag(*command, arguments->json);
  command->callback([arguments] {
    const auto result = measure_machine(arguments->request);
    if (arguments->json) {
      print_json(result);
    } else {
      print_table(result);
      print_training(result);
    }
  });
}

}  // namespace projnce::app::bench_command
