#include "apps/projnce/measure_machine.h"

#include <torch/nn/functional/normalization.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/encoder/encoder.h"
#include "projnce/encoder/registry.h"
#include "projnce/kernel/isa.h"
#include "projnce/loss/registry.h"
#include "projnce/loss/supcon.h"
#include "projnce/train/adamw.h"

namespace projnce::app {

namespace {

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

}  // namespace

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

}  // namespace projnce::app
