#include "bench/training/training_step.h"

#include <torch/torch.h>

#include "bench/compare/stopwatch.h"
#include "projnce/loss/supcon.h"

namespace projnce::bench {

namespace {

constexpr double kLearningRate = 1e-3;

train::NamedParameters parameters_of(const torch::nn::Module& module) {
  train::NamedParameters parameters;
  for (const auto& item : module.named_parameters()) {
    parameters.emplace_back(item.key(), item.value());
  }
  return parameters;
}

/// Times consecutive parts.
class Laps {
 public:
  explicit Laps(Turn& turn) : turn_(turn) {}
  void end(const char* part) {
    turn_.parts[part] += lap_.seconds();
    lap_ = Stopwatch();
  }

 private:
  Turn& turn_;
  Stopwatch lap_;
};

}  // namespace

TrainingStep::TrainingStep(encoder::EncoderPtr encoder)
    : model_(std::make_shared<encoder::EmbeddingModel>(std::move(encoder), encoder::HeadOptions{})),
      loss_(std::make_shared<loss::SupConLoss>()),
      optimizer_(parameters_of(*model_), {}) {
  model_->train();
}

void TrainingStep::run(const loader::Batch& batch, Turn& turn) {
  const Stopwatch whole;
  Laps laps(turn);
  optimizer_.zero_grad();
  const auto outputs = model_->forward(batch.images);
  laps.end("forward");
  const auto leaves = outputs.embeddings.detach().requires_grad_();
  const auto value = loss_->forward(loss::make_batch(leaves, batch.labels.repeat({batch.views})));
  value.backward();
  turn.value = value.item<double>();
  laps.end("loss");
  outputs.embeddings.backward(leaves.grad());
  laps.end("backward");
  optimizer_.gradient_norm();
  optimizer_.step(kLearningRate);
  laps.end("optimizer");
  turn.seconds += whole.seconds();
}

loader::Batch random_batch(int64_t samples, const encoder::InputShape& input) {
  constexpr int64_t kViews = 2;
  constexpr int64_t kClasses = 10;
  return {.images = torch::randn({kViews * samples, input.channels, input.height, input.width})
                        .contiguous(torch::MemoryFormat::ChannelsLast),
          .labels = torch::randint(kClasses, {samples}, torch::kInt64),
          .indices = torch::arange(samples),
          .views = kViews};
}

}  // namespace projnce::bench
