#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "projnce/checkpoint/checkpoints.h"
#include "projnce/config/run_config.h"
#include "projnce/core/progress.h"
#include "projnce/data/run_data_path.h"
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
#include "projnce/run/training_summary.h"
#include "projnce/train/trainer.h"
#include "projnce/train/training_checkpoint.h"

namespace projnce::run {

/// Components of a training run.
struct TrainingComponents {
  const config::RunConfig& config;
  const data::TrainingData& data;
  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;
  distributed::ProcessGroupPtr ranks;
  torch::Device device = torch::kCPU;  ///< of model and loss
};

/// Metadata recorded with the run.
struct RunMetadata {
  std::string command;                        ///< command line that started or resumed it
  bool live = false;                          ///< update report.html during training
  std::optional<data::DataRecord> data = {};  ///< empty except on rank 0
  dataset::StoredSplitPtr split = nullptr;    ///< rank 0 only
};

/// Training with evaluation, metrics, checkpoints and final files. Every rank has one; only rank 0
/// writes.
class TrainingRun {
 public:
  TrainingRun(const TrainingComponents& components, const TrainEnvironment& environment,
              RunMetadata metadata);

  void start(const io::RunPaths& paths);
  /// Resumes from `checkpoint` of rank 0; starts from the beginning if there is none. If `force`,
  /// resumes even if the data has changed.
  void resume(const io::RunPaths& paths, const std::optional<checkpoint::Checkpoint>& checkpoint,
              bool force);

  /// Trains to the end, or until a stop is requested.
  TrainOutcome finish();

  /// Writes embedding maps, audit and report.html of a finished run. Returns the path of the
  /// report; empty if reports are disabled or writing failed. Rank 0 only.
  std::filesystem::path write_report();

 private:
  train::TrainingParts parts() { return {*model_, *loss_, trainer_}; }
  void restore(const checkpoint::Checkpoint& checkpoint, bool force);
  void check_data(const nlohmann::json& before, bool force) const;
  void open_files(const io::RunPaths& paths);
  /// Labels of the training samples, [N, 2]: the label used for training and the clean label.
  torch::Tensor labels_table() const;
  void log_setup() const;
  train::TrainEnd run_trainer();
  void on_step(const train::StepReport& report);
  void on_nonfinite(const train::NonfiniteStep& step);
  /// Reports that the device is full.
  [[noreturn]] void fail_out_of_memory();
  /// Describes the last good checkpoint, for error messages.
  std::string last_checkpoint_text();
  void on_epoch(const train::EpochReport& report);
  void evaluate(const train::EpochReport& report);
  void append_epoch(const train::EpochReport& report, bool evaluated);
  /// Loads the weights of the delivered epoch into model and loss and evaluates them. Collective.
  /// Returns false if a stop was requested; stored files do not change then.
  bool load_delivered_epoch();
  /// Loads the weights of the best validation epoch. Logs a warning and returns false if its
  /// checkpoint cannot be read. Rank 0 only.
  bool load_best_weights();
  bool wants_checkpoint() const;
  void save_checkpoint();
  void write_results();
  inference::TrainedModel delivered_model() const;
  /// Evaluates the delivered model and describes the run. Rank 0 only.
  TrainingSummary summary() const;

  const config::RunConfig& config_;
  const data::TrainingData& data_;
  encoder::EmbeddingModelPtr model_;
  loss::LossPtr loss_;
  distributed::ProcessGroupPtr ranks_;
  const TrainEnvironment& environment_;
  RunMetadata metadata_;
  const train::TrainOptions& options_;
  const config::EvalOptions& eval_options_;
  const config::ReportOptions& report_options_;
  int threads_;
  loader::TrainLoader loader_;
  train::Trainer trainer_;
  int64_t log_every_;  // steps
  inference::RunEvaluator evaluator_;
  ReproducibilityInfo environment_info_;
  std::map<std::string, std::string> data_ids_;            // fingerprints of samples and files
  std::map<std::string, std::string> split_fingerprints_;  // for "data" in summary.json

  io::RunPaths paths_;
  RunProgress progress_;
  std::optional<MetricsWriter> metrics_writer_;                // rank 0 only
  std::unique_ptr<checkpoint::CheckpointWriter> checkpoints_;  // rank 0 only
  std::optional<inference::Evaluation> last_evaluation_;
  DeliveredEpoch delivered_epoch_;
  std::optional<Delivery> delivery_;  // rank 0 only, after training
  std::optional<Progress> bar_;
  double epoch_started_ = 0;
  double last_checkpoint_ = 0;
  bool best_unsaved_ = false;
  std::filesystem::path last_good_;  // newest written checkpoint; empty: none
  int64_t skipped_ = 0;              // number of corrupt samples over all ranks
};

}  // namespace projnce::run
