#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/train_loader.h"
#include "projnce/loss/contrastive_loss.h"
#include "projnce/train/adamw.h"
#include "projnce/train/train_options.h"

namespace projnce {

/// Where training is: all that a checkpoint needs besides the tensors.
struct TrainState {
  int64_t epoch = 0;  ///< epochs that are complete
  int64_t batch = 0;  ///< batches done of the epoch that is not
  int64_t step = 0;   ///< batches done in all
  /// Sums over the batches of the unfinished epoch: the loss and its parts, by name.
  std::map<std::string, double> sums;
};

struct StepReport {
  int64_t epoch;  ///< the epoch that the step belongs to, from 0
  int64_t batch;
  int64_t step;
  double learning_rate;
  double gradient_norm;
  std::map<std::string, double> values;  ///< "loss" and its parts
};

struct EpochReport {
  int64_t epoch;  ///< the epoch just completed, from 0
  int64_t step;
  double learning_rate;
  std::map<std::string, double> means;  ///< over the epoch's batches: "loss" and its parts
};

/// Who watches. All may be empty.
struct TrainHooks {
  std::function<void(const StepReport&)> on_step;
  std::function<void(const EpochReport&)> on_epoch;  ///< the state is that of the new epoch
  std::function<bool()> stop_requested;              ///< asked after every step
};

enum class TrainEnd { kFinished, kStopped };

/// The training loop: batches in, updates of model and loss out.
class Trainer {
 public:
  Trainer(EmbeddingModelPtr model, LossPtr loss, TrainLoader& loader, const TrainOptions& options);

  /// Goes on from `state()` to the last epoch, or until a stop is requested. Throws (Fault::kWork)
  /// at the first loss or gradient that is not finite, before it reaches the weights.
  TrainEnd run(const TrainHooks& hooks);

  TrainState& state() { return state_; }
  const TrainState& state() const { return state_; }
  AdamW& optimizer() { return optimizer_; }
  const AdamW& optimizer() const { return optimizer_; }
  int64_t total_steps() const;

 private:
  /// False where a stop was requested before the epoch ended.
  bool run_epoch(const TrainHooks& hooks);
  StepReport step(const Batch& batch);
  LossValue evaluate_loss(const Encoded& encoded, const Batch& batch);
  double update_weights(double learning_rate);
  double learning_rate(int64_t step) const;
  std::map<std::string, double> epoch_means() const;

  EmbeddingModelPtr model_;
  LossPtr loss_;
  TrainLoader& loader_;
  TrainOptions options_;
  NamedParameters parameters_;
  AdamW optimizer_;
  TrainState state_;
};

}  // namespace projnce
