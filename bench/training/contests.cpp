#include "bench/training/contests.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "bench/compare/stopwatch.h"
#include "bench/training/layer_list.h"
#include "bench/training/loaded_images.h"
#include "bench/training/training_step.h"
#include "projnce/core/error.h"

namespace projnce::bench {

namespace {

constexpr double kTrainingPasses = 3;  // forward, gradient by the input, gradient by weights
constexpr int64_t kViews = 2;
const char* const kTorchName = "LibTorch in C++, channels-last";
const char* const kOurName = "projnce";

encoder::EncoderPtr make_encoder(const encoder::ResNetOptions& options) {
  return std::make_shared<encoder::ResNet>(options);
}
encoder::EncoderPtr make_encoder(const encoder::AudioCnnOptions& options) {
  return std::make_shared<encoder::AudioCnn>(options);
}

template <class Options>
encoder::EncoderPtr make_encoder(Options options, encoder::Engine engine) {
  options.engine = engine;
  torch::manual_seed(1);
  return make_encoder(options);
}

/// Warm-up steps at the start of each turn: other rivals evict caches and even memory pages, which
/// does not happen in ongoing training.
constexpr int64_t kSettlingSteps = 1;

/// Steps on one batch in memory, as for SupContrast.
Rival random_steps(const std::string& name, const encoder::EncoderPtr& encoder,
                   const loader::Batch& batch, int64_t steps) {
  auto training = std::make_shared<TrainingStep>(encoder);
  return {.name = name, .turn = [training, batch, steps] {
            Turn settling;
            for (int64_t i = 0; i < kSettlingSteps; ++i) training->run(batch, settling);
            Turn turn{.steps = steps};
            for (int64_t i = 0; i < steps; ++i) training->run(batch, turn);
            return turn;
          }};
}

/// The same network in Python with torch.
struct PythonVariant {
  const char* name;
  bool channels_last = false;
  bool compiled = false;
};
constexpr PythonVariant kPythonVariants[] = {{"SupContrast, NCHW, eager"},
                                             {"SupContrast, channels-last, eager", true},
                                             {"SupContrast, NCHW, compiled", false, true},
                                             {"SupContrast, channels-last, compiled", true, true}};

/// Creates and compiles what is measured later. Throws on failure.
std::string prepare(PythonPeers& peers, const std::string& peer, const nlohmann::json& request) {
  const auto first = peers.run(peer, request);
  if (first.compile_seconds == 0) return {};
  return fmt::format("compiled in {:.1f} s, not timed; {} graph breaks", first.compile_seconds,
                     first.graph_breaks);
}

/// SupContrast's network; `work` is "step" or "evaluation".
Rival python_rival(PythonPeers& peers, const PythonVariant& variant, const std::string& work,
                   int64_t samples) {
  const std::string peer = "SupContrast steps";
  const nlohmann::json request = {{"work", work},
                                  {"samples", samples},
                                  {"channels_last", variant.channels_last},
                                  {"compiled", variant.compiled},
                                  {"settling_steps", kSettlingSteps}};
  Rival rival{.name = variant.name, .turn = [&peers, peer, request] {
                const auto run = peers.run(peer, request);
                return Turn{.seconds = run.seconds,
                            .value = run.value,
                            .child_cpu_seconds = run.cpu_seconds};
              }};
  rival.unavailable = peers.why_unavailable(peer);
  if (!rival.unavailable.empty()) return rival;
  try {
    rival.note = prepare(peers, peer, request);
  } catch (const Error& error) {
    rival.unavailable = error.what();
  }
  return rival;
}

std::vector<Rival> python_rivals(PythonPeers& peers, const std::string& work, int64_t samples) {
  std::vector<Rival> rivals;
  for (const auto& variant : kPythonVariants) {
    rivals.push_back(python_rival(peers, variant, work, samples));
  }
  return rivals;
}

Contest resnet18_contest(int64_t samples, int rounds, PythonPeers& peers) {
  const encoder::ResNetOptions options{};
  return {
      .name = fmt::format("resnet18-{}", samples),
      .title = fmt::format("ResNet-18, 3x3 stem, 32x32, batch {} x 2 views, whole step", samples),
      .samples = samples,
      .flops = kTrainingPasses * static_cast<double>(kViews * samples) *
               forward_flops(conv_layers(options)),
      .rounds = rounds,
      .rivals = [=, &peers]() -> std::vector<Rival> {
        const auto batch = random_batch(samples, options.input);
        auto rivals = python_rivals(peers, "step", samples);
        rivals.push_back(
            random_steps(kTorchName, make_encoder(options, encoder::Engine::kTorch), batch, 1));
        rivals.push_back(
            random_steps(kOurName, make_encoder(options, encoder::Engine::kNative), batch, 1));
        return rivals;
      }};
}

Contest audio_contest(int64_t samples, int64_t moments, int rounds) {
  const encoder::AudioCnnOptions options{.input = {.channels = 1, .height = 128, .width = moments}};
  return {
      .name = fmt::format("audio-{}", moments),
      .title = fmt::format("audio-cnn, 1x128x{}, batch {} x 2 views, whole step", moments, samples),
      .samples = samples,
      .flops = kTrainingPasses * static_cast<double>(kViews * samples) *
               forward_flops(conv_layers(options)),
      .rounds = rounds,
      .rivals = [=]() -> std::vector<Rival> {
        const auto batch = random_batch(samples, options.input);
        return {random_steps(kTorchName, make_encoder(options, encoder::Engine::kTorch), batch, 1),
                random_steps(kOurName, make_encoder(options, encoder::Engine::kNative), batch, 1)};
      }};
}

/// Creates a loader per turn, so that it does not prefetch while others run. A few steps first fill
/// its queue.
Rival loaded_steps(const std::string& name, const encoder::EncoderPtr& encoder,
                   const LoadedImages& images, int64_t samples, int threads) {
  constexpr int64_t kFirst = 5;
  constexpr int64_t kSteps = 15;
  auto training = std::make_shared<TrainingStep>(encoder);
  return {.name = name, .turn = [=] {
            loader::TrainLoader loader(images.dataset, images.loader_options(samples, threads));
            loader.start_epoch(0);
            Turn warm_up;
            for (int64_t i = 0; i < kFirst; ++i) training->run(*loader.next(), warm_up);
            Turn turn{.steps = kSteps};
            for (int64_t i = 0; i < kSteps; ++i) {
              const Stopwatch waiting;
              const auto batch = loader.next();
              turn.parts["waiting for data"] += waiting.seconds();
              turn.seconds += waiting.seconds();
              training->run(*batch, turn);
            }
            return turn;
          }};
}

Contest loaded_contest(const TrainingBenchOptions& bench) {
  constexpr int64_t kSamples = 256;
  constexpr int64_t kWidth = 16;  // width of the encoder "resnet-small"
  const encoder::ResNetOptions options{.input = {.channels = 1, .height = 28, .width = 28},
                                       .widths = {kWidth, 2 * kWidth, 4 * kWidth},
                                       .blocks_per_stage = 1,
                                       .small_stem_stride = 2};
  return {.name = "resnet-small",
          .title = "resnet-small, 28x28 gray, batch 256 x 2 views, whole step with the loader",
          .samples = kSamples,
          .flops = kTrainingPasses * static_cast<double>(kViews * kSamples) *
                   forward_flops(conv_layers(options)),
          .rounds = bench.rounds,
          .rivals = [=]() -> std::vector<Rival> {
            const auto images = load_images(bench.data);
            return {loaded_steps(kTorchName + (", " + images.name),
                                 make_encoder(options, encoder::Engine::kTorch), images, kSamples,
                                 bench.threads),
                    loaded_steps(kOurName, make_encoder(options, encoder::Engine::kNative), images,
                                 kSamples, bench.threads)};
          }};
}

/// ResNet-18 with its head and gradients.
std::shared_ptr<encoder::EmbeddingModel> model_with_gradients() {
  auto model = std::make_shared<encoder::EmbeddingModel>(
      make_encoder(encoder::ResNetOptions{}, encoder::Engine::kTorch), encoder::HeadOptions{});
  for (auto& parameter : model->parameters()) {
    parameter.mutable_grad() = torch::randn_like(parameter.detach());
  }
  return model;
}

constexpr int64_t kUpdates = 10;  // per turn

template <class Update>
Rival updates(const std::string& name, const Update& update) {
  return {.name = name, .turn = [update] {
            const Stopwatch whole;
            for (int64_t i = 0; i < kUpdates; ++i) update();
            return Turn{.seconds = whole.seconds(), .steps = kUpdates};
          }};
}

constexpr double kUpdateLearningRate = 1e-3;
constexpr double kUpdateWeightDecay = 1e-4;

/// torch's fused update, AdamW(fused=True) in Python; LibTorch's C++ optimizer lacks the option.
Rival fused_updates() {
  const auto model = model_with_gradients();
  std::vector<torch::Tensor> parameters;
  std::vector<torch::Tensor> gradients;
  std::vector<torch::Tensor> means;
  std::vector<torch::Tensor> squares;
  std::vector<torch::Tensor> steps;
  for (const auto& parameter : model->parameters()) {
    parameters.push_back(parameter.detach());
    gradients.push_back(parameter.grad());
    means.push_back(torch::zeros_like(parameters.back()));
    squares.push_back(torch::zeros_like(parameters.back()));
    steps.push_back(torch::zeros({}));
  }
  return updates("torch, fused AdamW", [=] {
    for (const auto& step : steps) step.add_(1);
    at::_fused_adamw_(parameters, gradients, means, squares, /*max_exp_avg_sqs=*/{}, steps,
                      kUpdateLearningRate, /*beta1=*/0.9, /*beta2=*/0.999, kUpdateWeightDecay,
                      /*eps=*/1e-8,
                      /*amsgrad=*/false, /*maximize=*/false);
  });
}

std::vector<Rival> optimizer_rivals() {
  const auto theirs = model_with_gradients();
  auto stock = std::make_shared<torch::optim::AdamW>(
      theirs->parameters(),
      torch::optim::AdamWOptions(kUpdateLearningRate).weight_decay(kUpdateWeightDecay));
  const auto model = model_with_gradients();
  train::NamedParameters parameters;
  for (const auto& item : model->named_parameters()) {
    parameters.emplace_back(item.key(), item.value());
  }
  auto ours = std::make_shared<train::AdamW>(parameters, train::AdamWOptions{});
  return {updates("torch::optim::AdamW", [stock, theirs] { stock->step(); }), fused_updates(),
          updates(kOurName, [ours, model] { ours->step(kUpdateLearningRate); })};
}

Rival evaluations(const std::string& name, const encoder::EncoderPtr& encoder,
                  const torch::Tensor& images) {
  encoder->eval();
  encoder::EmbeddingModel(encoder, {});  // stores weights as models do: channels-last
  return {.name = name, .turn = [encoder, images] {
            const torch::NoGradGuard no_gradient;
            for (int64_t i = 0; i < kSettlingSteps; ++i) encoder->forward(images);
            const Stopwatch whole;
            encoder->forward(images);
            return Turn{.seconds = whole.seconds()};
          }};
}

Contest evaluation_contest(int rounds, PythonPeers& peers) {
  constexpr int64_t kImages = 256;
  const encoder::ResNetOptions options{};
  return {.name = "evaluation",
          .title = "ResNet-18, 32x32, batch 256, evaluation forward (a sample is one image)",
          .samples = kImages,
          .flops = static_cast<double>(kImages) * forward_flops(conv_layers(options)),
          .rounds = rounds,
          .rivals = [=, &peers]() -> std::vector<Rival> {
            const auto images = random_batch(kImages / kViews, options.input).images;
            auto rivals = python_rivals(peers, "evaluation", kImages);
            rivals.push_back(
                evaluations(kTorchName, make_encoder(options, encoder::Engine::kTorch), images));
            rivals.push_back(
                evaluations(kOurName, make_encoder(options, encoder::Engine::kNative), images));
            return rivals;
          }};
}

}  // namespace

std::vector<Contest> training_contests(const TrainingBenchOptions& options, PythonPeers& peers) {
  const int fewer = std::min(options.rounds, 3);
  return {resnet18_contest(64, options.rounds, peers),
          resnet18_contest(256, fewer, peers),
          loaded_contest(options),
          audio_contest(256, 32, options.rounds),
          audio_contest(64, 204, options.rounds),
          {.name = "adamw",
           .title = "AdamW update of ResNet-18 with its head, 11.5 M parameters",
           .rounds = 2 * options.rounds + 1,
           .rivals = optimizer_rivals},
          evaluation_contest(options.rounds, peers)};
}

}  // namespace projnce::bench
