#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "projnce/distributed/gradient_bucket_reducer.h"
#include "projnce/distributed/process_group.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/loaders.h"
#include "projnce/loss/loss.h"
#include "projnce/train/adamw.h"
#include "projnce/train/device_steps.h"
#include "projnce/train/step_report.h"
#include "projnce/train/train_options.h"

namespace projnce::train {

/// Detects a loss far above those of the preceding steps. Stored in checkpoints.
struct SpikeDetector {
  double mean = 0;      ///< running mean of the losses
  double variance = 0;  ///< running variance of the losses
  int64_t steps = 0;

  /// Returns true if `loss` is a spike compared with the previous losses, then updates the running
  /// statistics with it.
  bool update(double loss);
};

/// Training progress: everything a checkpoint needs besides the tensors.
struct TrainState {
  int64_t epoch = 0;      ///< completed epochs
  int64_t batch = 0;      ///< completed batches of the current epoch
  int64_t step = 0;       ///< completed batches in total
  int64_t nonfinite = 0;  ///< consecutive steps skipped up to now
  int64_t skipped = 0;    ///< steps skipped in the current epoch
  SpikeDetector spikes = {};
  /// The loss and its parts, by name, summed over the batches of the current epoch.
  std::map<std::string, double> sums = {};
  LossScale loss_scale = {};  ///< of float16 training
};

/// Callbacks of the training loop; each may be empty. A stop requested by one rank stops all ranks.
/// If the model is not on the CPU, `on_step` and `on_nonfinite` are called for several steps at
/// once, at least every `log_every` steps and before the other callbacks that report or save.
struct TrainHooks {
  std::function<void(const StepReport&)> on_step = {};
  std::function<void(const NonfiniteStep&)> on_nonfinite = {};
  /// Called after the last step of an epoch, before the epoch counter advances: if it throws,
  /// training resumed from this state calls it again.
  std::function<void(const EpochReport&)> on_epoch = {};
  std::function<bool()> stop_requested = {};    ///< polled after every step
  std::function<bool()> wants_checkpoint = {};  ///< polled after every step, on rank 0 only
  std::function<void()> on_checkpoint = {};     ///< called if requested, and after every epoch
};

enum class TrainEnd { kFinished, kStopped };

/// The training loop: updates the parameters of model and loss. With several ranks (data-parallel
/// training), each rank holds the same weights, loads its part of every batch and applies the
/// update of the whole batch. Model and loss are on `device`.
class Trainer {
 public:
  Trainer(encoder::EmbeddingModelPtr model, loss::LossPtr loss, loader::TrainLoader& loader,
          const TrainOptions& options,
          distributed::ProcessGroupPtr ranks = distributed::ProcessGroup::single_process(),
          const torch::Device& device = torch::kCPU);

  /// Trains from `state()` to the last epoch, or until a stop is requested. Throws
  /// (ErrorKind::kRuntime) at a non-finite loss or gradient beyond `skip_nonfinite`, before the
  /// weights are updated.
  TrainEnd run(const TrainHooks& hooks);

  TrainState& state() { return state_; }
  const TrainState& state() const { return state_; }
  AdamW& optimizer() { return optimizer_; }
  const AdamW& optimizer() const { return optimizer_; }
  int64_t total_steps() const;
  const torch::Device& device() const { return device_; }

 private:
  /// Requests after a step, combined over all ranks.
  struct StepStatus {
    bool stop = false;
    bool checkpoint = false;
  };

  /// Returns false if a stop was requested before the epoch ended.
  bool run_epoch(const TrainHooks& hooks);
  StepStatus step(const loader::Batch& batch, const TrainHooks& hooks);
  StepStatus step_on_device(const loader::Batch& batch, const TrainHooks& hooks);
  /// Reports the steps on the device that were not reported yet. Throws like `run`.
  void report_device_steps(const TrainHooks& hooks);
  loss::LossValue backward(const loader::Batch& batch);
  StepReport next_report();
  StepStatus all_reduce_status(const loss::LossValue& value, const TrainHooks& hooks,
                               StepReport& report);
  StepStatus all_reduce_requests(const TrainHooks& hooks);
  void update_weights(const StepReport& report);
  void count_step(StepReport& report, const TrainHooks& hooks);
  void skip_step(const StepReport& report, const loader::Batch& batch, const TrainHooks& hooks);
  double learning_rate(int64_t step) const;
  std::map<std::string, double> epoch_means() const;

  encoder::EmbeddingModelPtr model_;
  loss::LossPtr loss_;
  loader::TrainLoader& loader_;
  TrainOptions options_;
  distributed::ProcessGroupPtr ranks_;
  NamedParameters parameters_;
  AdamW optimizer_;
  distributed::GradientBucketReducer gradients_;
  torch::Device device_;
  DeviceSteps device_steps_;
  TrainState state_;
};

}  // namespace projnce::train
