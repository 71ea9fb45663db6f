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
#include "projnce/train/train_options.h"

namespace projnce::train {

/// Notices a loss far above those of the steps before it. A plain value: it travels in checkpoints.
struct SpikeDetector {
  double mean = 0;      ///< running, of the losses so far
  double variance = 0;  ///< running
  int64_t steps = 0;

  /// Whether `loss` is a spike among the losses before it; takes it in.
  bool see(double loss);
};

/// Where training is: all that a checkpoint needs besides the tensors.
struct TrainState {
  int64_t epoch = 0;        ///< epochs that are complete
  int64_t batch = 0;        ///< batches done of the epoch that is not
  int64_t step = 0;         ///< batches done in all
  int64_t nonfinite = 0;    ///< steps passed over just before this one
  int64_t passed_over = 0;  ///< of the unfinished epoch
  SpikeDetector spikes = {};
  /// Sums over the batches of the unfinished epoch: the loss and its parts, by name.
  std::map<std::string, double> sums = {};
};

struct StepReport {
  int64_t epoch;  ///< the epoch that the step belongs to, from 0
  int64_t batch;
  int64_t step;
  double learning_rate;
  double gradient_norm;
  std::map<std::string, double> values;  ///< "loss" and its parts, of the batch of all ranks
  bool spike = false;                    ///< the loss is far above those before it
};

/// A step whose loss or gradient is not finite. The weights are as they were before it.
struct NonfiniteStep {
  const StepReport& report;
  const loader::Batch& batch;  ///< this rank's part of it
  bool stops;                  ///< no more such steps are allowed
};

struct EpochReport {
  int64_t epoch;  ///< the epoch just completed, from 0
  int64_t step;
  double learning_rate;
  std::map<std::string, double> means;  ///< over the epoch's batches: "loss" and its parts
};

/// Who watches. All may be empty. Ranks agree on what is asked: one that wants to stop stops all.
struct TrainHooks {
  std::function<void(const StepReport&)> on_step = {};
  std::function<void(const NonfiniteStep&)> on_nonfinite = {};
  /// After an epoch's last step. The state is still that of the epoch: where this throws, training
  /// can go on from it to this very call.
  std::function<void(const EpochReport&)> on_epoch = {};
  std::function<bool()> stop_requested = {};    ///< asked after every step
  std::function<bool()> wants_checkpoint = {};  ///< asked after every step of rank 0 alone
  std::function<void()> on_checkpoint = {};     ///< when one was wanted, and after every epoch
};

enum class TrainEnd { kFinished, kStopped };

/// The training loop: batches in, updates of model and loss out. With several ranks, each has the
/// same weights, loads its share of every batch and takes the step of the whole batch.
class Trainer {
 public:
  Trainer(encoder::EmbeddingModelPtr model, loss::LossPtr loss, loader::TrainLoader& loader,
          const TrainOptions& options,
          distributed::ProcessGroupPtr ranks = distributed::ProcessGroup::single_process());

  /// Goes on from `state()` to the last epoch, or until a stop is requested. Throws
  /// (Fault::kRuntime) at a loss or gradient that is not finite and cannot be passed over, before
  /// it reaches the weights.
  TrainEnd run(const TrainHooks& hooks);

  TrainState& state() { return state_; }
  const TrainState& state() const { return state_; }
  AdamW& optimizer() { return optimizer_; }
  const AdamW& optimizer() const { return optimizer_; }
  int64_t total_steps() const;

 private:
  /// What the ranks want, agreed.
  struct StepStatus {
    bool stop = false;
    bool checkpoint = false;
  };

  /// False where a stop was requested before the epoch ended.
  bool run_epoch(const TrainHooks& hooks);
  StepStatus step(const loader::Batch& batch, const TrainHooks& hooks);
  loss::LossValue backward(const loader::Batch& batch);
  StepStatus agree(const loss::LossValue& value, const TrainHooks& hooks, StepReport& report);
  void update_weights(const StepReport& report);
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
  TrainState state_;
};

}  // namespace projnce::train
