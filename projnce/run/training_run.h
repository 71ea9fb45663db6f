#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "projnce/checkpoint/checkpoints.h"
#include "projnce/config/run_config.h"
#include "projnce/core/progress.h"
#include "projnce/data/training_data.h"
#include "projnce/distributed/process_group.h"
#include "projnce/inference/run_evaluation.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/loader/loaders.h"
#include "projnce/run/delivery.h"
#include "projnce/run/metrics_writer.h"
#include "projnce/run/reproducibility_info.h"
#include "projnce/run/run_plan.h"
#include "projnce/run/train.h"
#include "projnce/train/trainer.h"
#include "projnce/train/training_checkpoint.h"

namespace projnce::run {

/// What a run is made of.
struct TrainingComponents {
  const config::RunConfig& config;
  const data::TrainingData& data;
  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;
  distributed::ProcessGroupPtr ranks;
};

/// What is recorded about the run while it goes on.
struct RunMetadata {
  std::string command;  ///< that started or resumed it
  bool live = false;    ///< report.html is kept fresh
  nlohmann::ordered_json data =
      {};  ///< for data.json and the summary; empty on ranks but the first
  dataset::StoredSplitPtr split = nullptr;  ///< likewise
};

/// One training with everything around it: evaluation after epochs, metrics, checkpoints, the files
/// at its end. With several ranks each has one; rank 0 writes.
class TrainingRun {
 public:
  TrainingRun(const TrainingComponents& contents, const TrainEnvironment& environment,
              RunMetadata record);

  void start(const io::RunPaths& paths);
  /// `checkpoint` is rank 0's to give; none starts from the beginning. `force` goes on although the
  /// data changed.
  void resume(const io::RunPaths& paths, const std::optional<checkpoint::Checkpoint>& checkpoint,
              bool force);

  /// Trains on, to the end or until a stop is requested.
  TrainOutcome finish();

  /// Of a finished run: makes map, audit and report.html, and returns where that is; empty where it
  /// is not wanted or cannot be made. Rank 0 alone.
  std::filesystem::path write_report();

 private:
  train::TrainingParts parts() { return {*model_, *loss_, trainer_}; }
  void restore(const checkpoint::Checkpoint& checkpoint, bool force);
  void check_data(const nlohmann::json& before, bool force) const;
  void open_files(const io::RunPaths& paths);
  /// A row for each training sample: the label that is trained on, and the one that the files give.
  torch::Tensor labels_table() const;
  void announce() const;
  train::TrainEnd train_on();
  void on_step(const train::StepReport& report);
  void on_nonfinite(const train::NonfiniteStep& step);
  /// The end of a sentence about a training that cannot go on.
  std::string last_good_text();
  void on_epoch(const train::EpochReport& report);
  void evaluate(const train::EpochReport& report);
  void append_epoch(const train::EpochReport& report, bool evaluated);
  /// Brings the weights that the run delivers into model and loss and evaluates them. A collective.
  /// False if a stop was requested; what is stored stays as it is.
  bool load_delivered_epoch();
  /// Of rank 0: the best validation epoch's weights; false, with a warning, if its checkpoint
  /// cannot be read.
  bool load_best_weights();
  bool wants_checkpoint() const;
  void save_checkpoint();
  void write_results();
  inference::TrainedModel delivered_model() const;
  nlohmann::ordered_json summary() const;

  const config::RunConfig& config_;
  const data::TrainingData& data_;
  encoder::EmbeddingModelPtr model_;
  loss::LossPtr loss_;
  distributed::ProcessGroupPtr ranks_;
  const TrainEnvironment& environment_;
  RunMetadata record_;
  const train::TrainOptions& options_;
  const config::EvalOptions& eval_options_;
  const config::ReportOptions& report_options_;
  int threads_;
  loader::TrainLoader loader_;
  train::Trainer trainer_;
  int64_t log_every_;  // steps
  inference::RunEvaluator evaluator_;
  ReproducibilityInfo conditions_;
  std::map<std::string, std::string> data_ids_;           // fingerprints of samples and files
  std::map<std::string, std::string> part_fingerprints_;  // "data" of summary.json

  io::RunPaths paths_;
  RunProgress progress_;
  std::optional<MetricsWriter> metrics_writer_;                // of rank 0
  std::unique_ptr<checkpoint::CheckpointWriter> checkpoints_;  // null on ranks other than the first
  std::optional<inference::Evaluation> last_evaluation_;
  DeliveredEpoch delivered_epoch_;
  std::optional<Delivery> delivery_;      // of rank 0, when the training is over
  nlohmann::ordered_json final_results_;  // empty until the training is over
  std::optional<Progress> bar_;
  double epoch_started_ = 0;
  double last_checkpoint_ = 0;
  bool best_unsaved_ = false;
  std::filesystem::path last_good_;  // checkpoint that the run goes on from; empty for none
  int64_t skipped_ = 0;              // damaged samples that any rank met
};

}  // namespace projnce::run
