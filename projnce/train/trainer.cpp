#include "projnce/train/trainer.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "projnce/core/device.h"
#include "projnce/core/error.h"
#include "projnce/encoder/layers.h"
#include "projnce/train/gradient_cache.h"

namespace projnce::train {

namespace {

constexpr double kDecay = 0.05;       // weight of a new loss: averages about the last 20 steps
constexpr int64_t kWarmupSteps = 50;  // no spikes are reported before this many steps
constexpr double kDeviations = 6;
constexpr double kMinDeviation = 0.01;  // lower bound of the deviation, relative to the mean

}  // namespace

bool SpikeDetector::update(double loss) {
  const double deviation = std::max(std::sqrt(variance), kMinDeviation * std::abs(mean));
  const bool spike = steps >= kWarmupSteps && loss > mean + kDeviations * deviation;
  // Arithmetic mean over the first steps, exponential moving average afterwards.
  const double weight = std::max(kDecay, 1 / static_cast<double>(steps + 1));
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

/// Returns all parameters in the order GradientBucketReducer expects: the loss's gradients are
/// complete before the backward pass through the model starts.
std::vector<torch::Tensor> parameters_in_reduction_order(const encoder::EmbeddingModel& model,
                                                         const loss::Loss& loss) {
  auto tensors = loss.parameters();
  for (const auto& parameter : model.parameters()) tensors.push_back(parameter);
  return tensors;
}

bool is_finite(const StepReport& report) {
  return std::isfinite(report.values.at("loss")) && std::isfinite(report.gradient_norm);
}

}  // namespace

Trainer::Trainer(encoder::EmbeddingModelPtr model, loss::LossPtr loss, loader::TrainLoader& loader,
                 const TrainOptions& options, distributed::ProcessGroupPtr ranks,
                 const torch::Device& device)
    : model_(std::move(model)),
      loss_(std::move(loss)),
      loader_(loader),
      options_(options),
      ranks_(std::move(ranks)),
      parameters_(all_parameters(*model_, *loss_)),
      optimizer_(parameters_, {.weight_decay = options.weight_decay}),
      gradients_(ranks_, parameters_in_reduction_order(*model_, *loss_)),
      device_(device),
      device_steps_(device_, options_) {
  if (ranks_->size() > 1 && options_.sync_batch_norm) {
    encoder::sync_batch_statistics(*model_, [ranks = ranks_](const torch::Tensor& mine) {
      return ranks->all_gather(mine, "synchronizing batch-norm statistics");
    });
  }
}

int64_t Trainer::total_steps() const {
  return options_.epochs * loader_.batches_per_epoch();
}

TrainEnd Trainer::run(const TrainHooks& hooks) {
  model_->train();
  loss_->train();
  device_steps_.start(state_.nonfinite, state_.loss_scale);
  while (state_.epoch < options_.epochs) {
    if (!run_epoch(hooks)) return TrainEnd::kStopped;
  }
  return TrainEnd::kFinished;
}

bool Trainer::run_epoch(const TrainHooks& hooks) {
  loader_.start_epoch(state_.epoch, state_.batch);
  while (auto batch = loader_.next()) {
    const auto status = device_.is_cpu() ? step(*batch, hooks) : step_on_device(*batch, hooks);
    if (status.stop) return false;
    if (status.checkpoint && hooks.on_checkpoint) hooks.on_checkpoint();
  }
  report_device_steps(hooks);
  const EpochReport report{state_.epoch, state_.step, learning_rate(state_.step - 1),
                           epoch_means()};
  if (hooks.on_epoch) hooks.on_epoch(report);
  ++state_.epoch;
  state_.batch = 0;
  state_.skipped = 0;
  state_.sums.clear();
  if (hooks.on_checkpoint) hooks.on_checkpoint();
  return true;
}

Trainer::StepStatus Trainer::step(const loader::Batch& batch, const TrainHooks& hooks) {
  optimizer_.zero_grad();
  const auto buffers =
      options_.skip_nonfinite > 0 ? copy_buffers(*model_) : std::vector<torch::Tensor>{};
  const auto value = backward(batch);
  auto report = next_report();
  report.gradient_norm = optimizer_.gradient_norm();
  const auto status = all_reduce_status(value, hooks, report);
  if (is_finite(report)) {
    update_weights(report);
    count_step(report, hooks);
  } else {
    skip_step(report, batch, hooks);
    restore_buffers(*model_, buffers);
  }
  return status;
}

StepReport Trainer::next_report() {
  StepReport report{.epoch = state_.epoch,
                    .batch = state_.batch,
                    .step = state_.step,
                    .learning_rate = learning_rate(state_.step),
                    .gradient_norm = 0,
                    .values = {}};
  ++state_.step;
  ++state_.batch;
  return report;
}

loss::LossValue Trainer::backward(const loader::Batch& batch) {
  const auto value = backward_batch(
      *model_, upload(batch.images, device_),
      {.views = batch.views,
       .micro_batch = options_.micro_batch,
       .encode_empty = options_.sync_batch_norm && ranks_->size() > 1,
       .precision = options_.precision,
       .before_last_pass = [&] { gradients_.prepare_for_backward(); }},
      [&](const encoder::Encoded& leaves) {
        return backward_global_loss(*ranks_, *loss_, leaves, batch, device_steps_.scale());
      });
  gradients_.finish();
  return value;
}

namespace {

double is_requested(const std::function<bool()>& hook) {
  return hook && hook() ? 1.0 : 0.0;
}

}  // namespace

/// Exchanges the loss, its parts and the stop and checkpoint requests in one all-reduce.
Trainer::StepStatus Trainer::all_reduce_status(const loss::LossValue& value,
                                               const TrainHooks& hooks, StepReport& report) {
  std::vector<double> numbers = {
      is_requested(hooks.stop_requested),
      ranks_->is_rank_zero() ? is_requested(hooks.wants_checkpoint) : 0.0,
      value.loss.item<double>()};
  for (const auto& [name, part] : value.parts) numbers.push_back(part.item<double>());
  auto sums = torch::tensor(numbers, torch::kDouble);
  ranks_->all_reduce(sums, "summing losses");
  const auto* total = sums.data_ptr<double>();
  report.values["loss"] = total[2];
  for (size_t i = 0; i < value.parts.size(); ++i) {
    report.values[value.parts[i].first] = total[i + 3];
  }
  return {.stop = total[0] > 0, .checkpoint = total[1] > 0};
}

/// The same for the requests only.
Trainer::StepStatus Trainer::all_reduce_requests(const TrainHooks& hooks) {
  auto sums = torch::tensor({is_requested(hooks.stop_requested),
                             ranks_->is_rank_zero() ? is_requested(hooks.wants_checkpoint) : 0.0},
                            torch::kDouble);
  ranks_->all_reduce(sums, "exchanging requests");
  const auto* total = sums.data_ptr<double>();
  return {.stop = total[0] > 0, .checkpoint = total[1] > 0};
}

void Trainer::update_weights(const StepReport& report) {
  if (options_.clip_norm > 0 && report.gradient_norm > options_.clip_norm) {
    for (auto& [name, parameter] : parameters_) {
      if (!parameter.grad().defined()) continue;
      parameter.mutable_grad().mul_(options_.clip_norm / report.gradient_norm);
    }
  }
  optimizer_.step(report.learning_rate);
}

void Trainer::count_step(StepReport& report, const TrainHooks& hooks) {
  state_.nonfinite = 0;
  for (const auto& [name, number] : report.values) state_.sums[name] += number;
  report.spike = state_.spikes.update(report.values.at("loss"));
  if (hooks.on_step) hooks.on_step(report);
}

Trainer::StepStatus Trainer::step_on_device(const loader::Batch& batch, const TrainHooks& hooks) {
  optimizer_.zero_grad();
  const auto buffers =
      options_.skip_nonfinite > 0 ? copy_buffers(*model_) : std::vector<torch::Tensor>{};
  const auto value = backward(batch);
  auto report = next_report();
  std::vector<std::string> names = {"loss"};
  std::vector<torch::Tensor> numbers = {value.loss.to(torch::kFloat)};
  for (const auto& [name, part] : value.parts) {
    names.push_back(name);
    numbers.push_back(part.detach().to(torch::kFloat));
  }
  auto values = torch::stack(numbers);
  ranks_->all_reduce(values, "summing losses");
  auto factor = device_steps_.scale().defined() ? device_steps_.scale().reciprocal()
                                                : torch::ones({}, values.options());
  const auto norm = optimizer_.gradient_norm_on_device() * factor;
  if (options_.clip_norm > 0) factor = factor * (options_.clip_norm / norm).clamp_max(1);
  const double rate = report.learning_rate;
  const auto updates = device_steps_.add(
      std::move(report), std::move(names),
      {.images = {}, .labels = batch.labels, .indices = batch.indices, .views = batch.views},
      values, norm);
  optimizer_.step_where(updates, rate, factor);
  restore_buffers_unless(updates, *model_, buffers);
  const auto status = all_reduce_requests(hooks);
  if (status.stop || status.checkpoint || device_steps_.waiting() >= options_.log_every) {
    report_device_steps(hooks);
  }
  return status;
}

void Trainer::report_device_steps(const TrainHooks& hooks) {
  for (auto& [report, samples, overflow, scale] : device_steps_.take()) {
    state_.loss_scale = scale;
    if (is_finite(report)) {
      optimizer_.count_step();
      count_step(report, hooks);
    } else if (overflow) {
      ++state_.skipped;
    } else {
      skip_step(report, samples, hooks);
    }
  }
}

void Trainer::skip_step(const StepReport& report, const loader::Batch& batch,
                        const TrainHooks& hooks) {
  ++state_.nonfinite;
  ++state_.skipped;
  const bool stops = state_.nonfinite > options_.skip_nonfinite;
  if (hooks.on_nonfinite) hooks.on_nonfinite({report, batch, stops});
  if (!stops) return;
  fail_runtime(Hint{"lower train.learning_rate, or set train.clip_norm and train.warmup_epochs"},
               "training stopped at step ", report.step, " of epoch ", report.epoch + 1,
               ": the loss is ", report.values.at("loss"), ", the gradient norm ",
               report.gradient_norm);
}

double Trainer::learning_rate(int64_t step) const {
  return options_.learning_rate *
         schedule_factor(options_.schedule, step, loader_.batches_per_epoch(), total_steps());
}

std::map<std::string, double> Trainer::epoch_means() const {
  auto means = state_.sums;
  const auto steps = std::max<int64_t>(state_.batch - state_.skipped, 1);
  for (auto& [name, sum] : means) sum /= static_cast<double>(steps);
  if (means.empty()) means["loss"] = std::nan("");  // every step was skipped
  return means;
}

}  // namespace projnce::train
