#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "projnce/checkpoint/checkpoint_dir.h"
#include "projnce/core/progress.h"
#include "projnce/loader/train_loader.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/pipeline/run_evaluation.h"
#include "projnce/pipeline/train.h"
#include "projnce/pipeline/training_data.h"
#include "projnce/train/trainer.h"

namespace projnce {

/// What a run knows besides the trainer's state; it travels in every checkpoint.
struct RunProgress {
  int64_t metrics_bytes = 0;  ///< length of metrics.jsonl that belongs to the checkpoint
  double last_accuracy = 0;
  double best_accuracy = -1;
  int64_t best_epoch = 0;  ///< counted from 1
  double train_seconds = 0;
  double eval_seconds = 0;
};

/// One training with everything around it: evaluation after epochs, metrics, checkpoints, the files
/// at its end.
class TrainingRun {
 public:
  /// `config` is complete but for [train], [augment] and [eval], which are read here.
  TrainingRun(Table& config, const RunSettings& settings, const TrainingData& data,
              EmbeddingModelPtr model, LossPtr loss, const TrainEnvironment& environment);

  void start(const RunPaths& paths);
  void resume(const RunPaths& paths);

  /// Trains on, to the end or until a stop is requested.
  TrainOutcome finish();

 private:
  void open_files(const RunPaths& paths);
  /// A row for each training sample: the label that is trained on, and the one that the files give.
  torch::Tensor labels_table() const;
  void announce() const;
  void on_step(const StepReport& report);
  void on_epoch(const EpochReport& report);
  void evaluate(const EpochReport& report);
  void save_checkpoint(bool best);
  void write_results();
  nlohmann::ordered_json summary() const;

  Table& config_;
  const TrainingData& data_;
  EmbeddingModelPtr model_;
  LossPtr loss_;
  const TrainEnvironment& environment_;
  TrainOptions options_;
  EvalOptions eval_options_;
  int threads_;
  TrainLoader loader_;
  Trainer trainer_;
  RunEvaluator evaluator_;

  RunPaths paths_;
  double label_entropy_;  // of the training labels, in nats: the ceiling of every bound
  RunProgress progress_;
  std::optional<MetricsLog> metrics_;
  std::optional<CheckpointDir> checkpoints_;
  std::optional<Evaluation> last_evaluation_;
  nlohmann::ordered_json final_results_;  // empty until the training is over
  std::optional<Progress> bar_;
  double epoch_started_ = 0;
};

}  // namespace projnce
