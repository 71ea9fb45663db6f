#include <fmt/format.h>
#include <torch/nn/functional/normalization.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/encoder/encoder.h"
#include "projnce/encoder/registry.h"
#include "projnce/kernel/isa.h"
#include "projnce/loss/registry.h"
#include "projnce/loss/supcon.h"
#include "projnce/train/adamw.h"

namespace projnce::app::bench_command {

namespace {

struct MeasureRequest {
  static constexpr int64_t kMostRows = 1 << 20;

  std::vector<int64_t> rows = {512, 2048, 8192};  ///< batch sizes
  int64_t dim = 128;
  int64_t classes = 10;
  int threads = 0;  ///< 0: all available cores
};

constexpr double kGiga = 1e-9;

/// Median run time of `work` over at least three runs and 0.25 s, after one warm-up run.
double median_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kMinRuns = 3;
  constexpr double kMinSeconds = 0.25;
  work();
  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < kMinRuns || total < kMinSeconds) {
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
  const auto loss = loss::make_loss(
      loss::loss_options(name),
      {.num_classes = request.classes, .embedding_dim = request.dim, .feature_dim = request.dim});
  const auto x = torch::randn({rows, request.dim}).requires_grad_();
  const auto labels = torch::randint(request.classes, {rows}, torch::kInt64);
  const auto options = torch::nn::functional::NormalizeFuncOptions().dim(1);
  return median_seconds([&] {
    x.mutable_grad() = torch::Tensor();
    loss->forward(loss::make_batch(torch::nn::functional::normalize(x, options), labels))
        .backward();
  });
}

/// One training benchmark.
struct TrainingCase {
  std::string encoder;
  encoder::InputShape input;
  int64_t batch;  ///< number of samples; each has two views
  int steps;
};

encoder::EncoderOptions with_engine(const std::string& encoder, encoder::Engine engine) {
  auto options = encoder::encoder_options(encoder);
  std::visit(
      [engine](auto& network) {
        if constexpr (requires { network.engine; }) network.engine = engine;
      },
      options.network);
  return options;
}

/// Takes training steps on one random batch.
class TimedTraining {
 public:
  TimedTraining(const TrainingCase& task, encoder::Engine engine)
      : model_(encoder::make_model(with_engine(task.encoder, engine), task.input)),
        optimizer_(named_parameters(*model_), {}),
        images_(
            torch::randn({2 * task.batch, task.input.channels, task.input.height, task.input.width})
                .contiguous(torch::MemoryFormat::ChannelsLast)),
        labels_(torch::randint(10, {task.batch}, torch::kInt64).repeat({2})) {
    step();  // warm-up: allocates the buffers
  }

  double step() {
    const auto start = std::chrono::steady_clock::now();
    optimizer_.zero_grad();
    loss_.forward(loss::make_batch(model_->forward(images_).embeddings, labels_)).backward();
    optimizer_.step(1e-3);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  static train::NamedParameters named_parameters(const encoder::EmbeddingModel& model) {
    train::NamedParameters parameters;
    for (const auto& item : model.named_parameters()) {
      parameters.emplace_back(item.key(), item.value());
    }
    return parameters;
  }

  encoder::EmbeddingModelPtr model_;
  loss::SupConLoss loss_;
  train::AdamW optimizer_;
  torch::Tensor images_;
  torch::Tensor labels_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Times LibTorch's engine and, if "auto" selects it, the native engine, interleaved.
nlohmann::ordered_json training_times(const TrainingCase& task) {
  const bool native = encoder::is_native(encoder::Engine::kAuto);
  TimedTraining torch_training(task, encoder::Engine::kTorch);
  std::optional<TimedTraining> native_training;
  if (native) native_training.emplace(task, encoder::Engine::kNative);
  std::vector<double> torch_seconds;
  std::vector<double> native_seconds;
  for (int i = 0; i < task.steps; ++i) {
    torch_seconds.push_back(torch_training.step());
    if (native) native_seconds.push_back(native_training->step());
  }
  nlohmann::ordered_json entry = {
      {"encoder", task.encoder}, {"batch", task.batch}, {"torch_ms", 1e3 * median(torch_seconds)}};
  if (native) {
    entry["native_ms"] = 1e3 * median(native_seconds);
    entry["gain"] = median(torch_seconds) / median(native_seconds);
  }
  return entry;
}

nlohmann::ordered_json all_training_times() {
  auto times = nlohmann::ordered_json::array();
  times.push_back(training_times(
      {"resnet-small", {.channels = 1, .height = 28, .width = 28}, /*batch=*/128, /*steps=*/9}));
  times.push_back(training_times(
      {"resnet18", {.channels = 3, .height = 32, .width = 32}, /*batch=*/16, /*steps=*/3}));
  return times;
}

/// Benchmarks losses and training steps on this machine; takes some seconds. Returns
///
///   {threads, instructions, gemm_gflops, losses: [{loss, rows, milliseconds, gflops}], engine,
///    native, training: [{encoder, batch, torch_ms, native_ms, gain}]}
///
/// - losses: forward and backward on random unit vectors in float32. gflops counts 4 N^2 D
///   operations; only present for losses over all pairs.
/// - engine: the engine that "auto" selects here; native: true if it is the native one.
/// - training: full steps with two views, with LibTorch's convolutions and, if `native`, with the
///   native ones, interleaved.
///
/// All times are medians.
nlohmann::ordered_json measure_machine(const MeasureRequest& request) {
  for (const auto rows : request.rows) {
    if (rows < 2 || rows > MeasureRequest::kMostRows) {
      fail("bench: --rows = ", rows, " is out of range, expected between 2 and ",
           MeasureRequest::kMostRows);
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
          {"instructions", kernel::isa_name(kernel::active_isa())},
          {"gemm_gflops", gemm_gflops()},
          {"losses", losses},
          {"engine", encoder::describe_engine(encoder::Engine::kAuto)},
          {"native", encoder::is_native(encoder::Engine::kAuto)},
          {"training", all_training_times()}};
}

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
