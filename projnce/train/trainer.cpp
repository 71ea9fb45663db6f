#include "projnce/train/trainer.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/encoder/layers.h"
#include "projnce/train/gradient_cache.h"

namespace projnce::train {

namespace {

constexpr double kForget = 0.05;      // about the last 20 steps count
constexpr int64_t kStepsToKnow = 50;  // before which nothing is unusual
constexpr double kDeviations = 6;
constexpr double kSmallest = 0.01;  // of the mean: less is no spike, however even the losses were

}  // namespace

bool SpikeDetector::see(double loss) {
  const double deviation = std::max(std::sqrt(variance), kSmallest * std::abs(mean));
  const bool spike = steps >= kStepsToKnow && loss > mean + kDeviations * deviation;
  // A plain average over the first steps, which then turns into the running one.
  const double weight = std::max(kForget, 1 / static_cast<double>(steps + 1));
  const double change = loss - mean;
  mean += weight * change;
  variance = (1 - weight) * (variance + weight * change * change);
  ++steps;
  return spike;
}

namespace {

NamedParameters all_parameters(const encoder::EmbeddingModel& model, const loss::Loss& loss) {
  NamedParameters parameters;
  for (const auto& item : model.named_parameters())
    parameters.emplace_back(item.key(), item.value());
  for (const auto& item : loss.named_parameters()) {
    parameters.emplace_back("loss." + item.key(), item.value());
  }
  return parameters;
}

/// The loss's gradients are there before those of the model are begun.
std::vector<torch::Tensor> in_order_of_use(const encoder::EmbeddingModel& model,
                                           const loss::Loss& loss) {
  auto tensors = loss.parameters();
  for (const auto& parameter : model.parameters()) tensors.push_back(parameter);
  return tensors;
}

}  // namespace

Trainer::Trainer(encoder::EmbeddingModelPtr model, loss::LossPtr loss, loader::TrainLoader& loader,
                 const TrainOptions& options, distributed::ProcessGroupPtr ranks)
    : model_(std::move(model)),
      loss_(std::move(loss)),
      loader_(loader),
      options_(options),
      ranks_(std::move(ranks)),
      parameters_(all_parameters(*model_, *loss_)),
      optimizer_(parameters_, {.weight_decay = options.weight_decay}),
      gradients_(ranks_, in_order_of_use(*model_, *loss_)) {
  if (ranks_->size() > 1 && options_.sync_batch_norm) {
    encoder::share_batch_statistics(*model_, [ranks = ranks_](const torch::Tensor& mine) {
      return ranks->all_gather(mine, "normalizing a batch");
    });
  }
}

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
    const auto status = step(*batch, hooks);
    if (status.stop) return false;
    if (status.checkpoint && hooks.on_checkpoint) hooks.on_checkpoint();
  }
  const EpochReport report{state_.epoch, state_.step, learning_rate(state_.step - 1),
                           epoch_means()};
  if (hooks.on_epoch) hooks.on_epoch(report);
  ++state_.epoch;
  state_.batch = 0;
  state_.passed_over = 0;
  state_.sums.clear();
  if (hooks.on_checkpoint) hooks.on_checkpoint();
  return true;
}

Trainer::StepStatus Trainer::step(const loader::Batch& batch, const TrainHooks& hooks) {
  optimizer_.zero_grad();
  const auto buffers =
      options_.skip_nonfinite > 0 ? copy_buffers(*model_) : std::vector<torch::Tensor>{};
  const auto value = backward(batch);
  StepReport report{.epoch = state_.epoch,
                    .batch = state_.batch,
                    .step = state_.step,
                    .learning_rate = learning_rate(state_.step),
                    .gradient_norm = optimizer_.gradient_norm(),
                    .values = {}};
  ++state_.step;
  ++state_.batch;
  const auto status = agree(value, hooks, report);
  if (std::isfinite(report.values.at("loss")) && std::isfinite(report.gradient_norm)) {
    update_weights(report);
    report.spike = state_.spikes.see(report.values.at("loss"));
    if (hooks.on_step) hooks.on_step(report);
  } else {
    skip_step(report, batch, hooks);
    restore_buffers(*model_, buffers);
  }
  return status;
}

loss::LossValue Trainer::backward(const loader::Batch& batch) {
  const auto value =
      backward_batch(*model_, batch.images,
                     {.views = batch.views,
                      .micro_batch = options_.micro_batch,
                      .encode_empty = options_.sync_batch_norm && ranks_->size() > 1,
                      .before_last_pass = [&] { gradients_.prepare_for_backward(); }},
                     [&](const encoder::Encoded& leaves) {
                       return backward_global_loss(*ranks_, *loss_, leaves, batch);
                     });
  gradients_.finish();
  return value;
}

/// One exchange for all small numbers: loss, its parts, and who wants what.
Trainer::StepStatus Trainer::agree(const loss::LossValue& value, const TrainHooks& hooks,
                                   StepReport& report) {
  const auto asks = [](const std::function<bool()>& hook) { return hook && hook() ? 1.0 : 0.0; };
  std::vector<double> numbers = {asks(hooks.stop_requested),
                                 ranks_->is_rank_zero() ? asks(hooks.wants_checkpoint) : 0.0,
                                 value.loss.item<double>()};
  for (const auto& [name, part] : value.parts) numbers.push_back(part.item<double>());
  auto sums = torch::tensor(numbers, torch::kDouble);
  ranks_->all_reduce(sums, "comparing losses");
  const auto* agreed = sums.data_ptr<double>();
  report.values["loss"] = agreed[2];
  for (size_t i = 0; i < value.parts.size(); ++i) {
    report.values[value.parts[i].first] = agreed[i + 3];
  }
  return {.stop = agreed[0] > 0, .checkpoint = agreed[1] > 0};
}

void Trainer::update_weights(const StepReport& report) {
  state_.nonfinite = 0;
  if (options_.clip_norm > 0 && report.gradient_norm > options_.clip_norm) {
    for (auto& [name, parameter] : parameters_) {
      if (!parameter.grad().defined()) continue;
      parameter.mutable_grad().mul_(options_.clip_norm / report.gradient_norm);
    }
  }
  optimizer_.step(report.learning_rate);
  for (const auto& [name, number] : report.values) state_.sums[name] += number;
}

void Trainer::skip_step(const StepReport& report, const loader::Batch& batch,
                        const TrainHooks& hooks) {
  ++state_.nonfinite;
  ++state_.passed_over;
  const bool stops = state_.nonfinite > options_.skip_nonfinite;
  if (hooks.on_nonfinite) hooks.on_nonfinite({report, batch, stops});
  if (!stops) return;
  fail_runtime(Hint{"lower train.learning_rate, or set train.clip_norm and train.warmup_epochs"},
               "training stopped at step ", report.step, " of epoch ", report.epoch + 1,
               ": the loss is ", report.values.at("loss"), ", the gradient's length ",
               report.gradient_norm);
}

double Trainer::learning_rate(int64_t step) const {
  return options_.learning_rate *
         schedule_factor(options_.schedule, step, loader_.batches_per_epoch(), total_steps());
}

std::map<std::string, double> Trainer::epoch_means() const {
  auto means = state_.sums;
  const auto steps = std::max<int64_t>(state_.batch - state_.passed_over, 1);
  for (auto& [name, sum] : means) sum /= static_cast<double>(steps);
  if (means.empty()) means["loss"] = std::nan("");  // every step was passed over
  return means;
}

}  // namespace projnce::train
