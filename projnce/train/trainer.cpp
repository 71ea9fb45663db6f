#include "projnce/train/trainer.h"

#include <torch/torch.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/train/gradient_cache.h"

namespace projnce {

namespace {

NamedParameters all_parameters(const EmbeddingModel& model, const ContrastiveLoss& loss) {
  NamedParameters parameters;
  for (const auto& item : model.named_parameters())
    parameters.emplace_back(item.key(), item.value());
  for (const auto& item : loss.named_parameters()) {
    parameters.emplace_back("loss." + item.key(), item.value());
  }
  return parameters;
}

ContrastiveBatch to_contrastive(const Encoded& encoded, const Batch& batch) {
  // Rows are view-major: all first views, then all second ones.
  return self_batch(encoded.embeddings, batch.labels.repeat({batch.views}),
                    batch.indices.repeat({batch.views}), encoded.features);
}

double gradient_norm(const NamedParameters& parameters) {
  double square = 0;
  for (const auto& [name, parameter] : parameters) {
    if (!parameter.grad().defined()) continue;
    const double norm = parameter.grad().norm().item<double>();
    square += norm * norm;
  }
  return std::sqrt(square);
}

}  // namespace

Trainer::Trainer(EmbeddingModelPtr model, LossPtr loss, TrainLoader& loader,
                 const TrainOptions& options)
    : model_(std::move(model)),
      loss_(std::move(loss)),
      loader_(loader),
      options_(options),
      parameters_(all_parameters(*model_, *loss_)),
      optimizer_(parameters_, {.weight_decay = options.weight_decay}) {}

int64_t Trainer::total_steps() const {
  return options_.epochs * loader_.batches_per_epoch();
}

TrainEnd Trainer::run(const TrainHooks& hooks) {
  model_->train();
  loss_->train();
  while (state_.epoch < options_.epochs) {
    if (!run_epoch(hooks)) return TrainEnd::kStopped;
  }
  return TrainEnd::kFinished;
}

bool Trainer::run_epoch(const TrainHooks& hooks) {
  loader_.start_epoch(state_.epoch, state_.batch);
  while (auto batch = loader_.next()) {
    const auto report = step(*batch);
    if (hooks.on_step) hooks.on_step(report);
    const bool last = state_.batch == loader_.batches_per_epoch();
    if (!last && hooks.stop_requested && hooks.stop_requested()) return false;
  }
  const EpochReport report{state_.epoch, state_.step, learning_rate(state_.step - 1),
                           epoch_means()};
  ++state_.epoch;
  state_.batch = 0;
  state_.sums.clear();
  if (hooks.on_epoch) hooks.on_epoch(report);
  return !(hooks.stop_requested && hooks.stop_requested()) || state_.epoch == options_.epochs;
}

StepReport Trainer::step(const Batch& batch) {
  optimizer_.zero_grad();
  const auto value = backward_batch(
      *model_, batch.images, {.views = batch.views, .micro_batch = options_.micro_batch},
      [&](const Encoded& encoded) { return evaluate_loss(encoded, batch); });

  StepReport report{.epoch = state_.epoch,
                    .batch = state_.batch,
                    .step = state_.step,
                    .learning_rate = learning_rate(state_.step),
                    .gradient_norm = 0,
                    .values = {{"loss", value.loss.item<double>()}}};
  for (const auto& [name, part] : value.parts) report.values[name] = part.item<double>();
  report.gradient_norm = update_weights(report.learning_rate);

  ++state_.step;
  ++state_.batch;
  for (const auto& [name, number] : report.values) state_.sums[name] += number;
  return report;
}

LossValue Trainer::evaluate_loss(const Encoded& encoded, const Batch& batch) {
  auto value = loss_->evaluate(to_contrastive(encoded, batch));
  const double loss = value.loss.item<double>();
  if (!std::isfinite(loss)) {
    fail_working(Hint{"lower train.learning_rate, or set train.clip_norm and train.warmup_epochs"},
                 "training stopped at step ", state_.step, " of epoch ", state_.epoch + 1,
                 ": the loss is ", loss);
  }
  return value;
}

double Trainer::update_weights(double learning_rate) {
  const double norm = gradient_norm(parameters_);
  if (!std::isfinite(norm)) {
    fail_working(Hint{"lower train.learning_rate, or set train.clip_norm and train.warmup_epochs"},
                 "training stopped at step ", state_.step, " of epoch ", state_.epoch + 1,
                 ": the gradient is not finite");
  }
  if (options_.clip_norm > 0 && norm > options_.clip_norm) {
    for (auto& [name, parameter] : parameters_) {
      if (parameter.grad().defined()) parameter.mutable_grad().mul_(options_.clip_norm / norm);
    }
  }
  optimizer_.step(learning_rate);
  return norm;
}

double Trainer::learning_rate(int64_t step) const {
  return options_.learning_rate *
         schedule_factor(options_.schedule, step, loader_.batches_per_epoch(), total_steps());
}

std::map<std::string, double> Trainer::epoch_means() const {
  auto means = state_.sums;
  for (auto& [name, sum] : means) sum /= static_cast<double>(state_.batch);
  return means;
}

}  // namespace projnce
