#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projnce/config/run_config.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/inference/evaluate.h"
#include "projnce/inference/information_report.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/inference/run_evaluation.h"

namespace projnce::run {

/// State of a run besides the trainer's; stored in every checkpoint.
struct RunProgress {
  int64_t metrics_bytes = 0;  ///< length of metrics.jsonl at the checkpoint
  double last_accuracy = 0;
  double best_accuracy = -1;
  int64_t best_epoch = 0;  ///< counted from 1
  double last_top5 = 0;
  double validation_accuracy = -1;  ///< highest on the validation split; -1: none
  int64_t validation_epoch = 0;     ///< its epoch, counted from 1; 0: no validation split
  double train_seconds = 0;
  double eval_seconds = 0;
};

std::string to_text(const RunProgress& progress);
/// Inverse of to_text. Throws if `text` is malformed.
RunProgress progress_from_text(const std::string& text);

/// Epoch whose weights a run delivers.
struct DeliveredEpoch {
  int64_t epoch = 0;   ///< counted from 1
  int64_t epochs = 0;  ///< total number of epochs
  inference::EpochRule rule = inference::EpochRule::kLast;
};

/// The model that a run delivers: summary.json and the report describe it; `predict`, `export` and
/// `eval` use it.
struct Delivery {
  DeliveredEpoch epoch;
  inference::Readout readout;        ///< calibrated, if there are samples to calibrate on
  inference::ProtocolResult result;  ///< of the readout on the test split
  /// Expected calibration error (ECE) on the test split; empty without samples.
  std::optional<double> calibration_error = {};
  std::string calibrated_on = {};  ///< "validation" or "test"; empty without samples
  int64_t validation_samples = 0;
  double validation_accuracy = 0;  ///< of the readout; 0 without a validation split
};

/// Chooses and calibrates the readout of a model with final weights. With a validation split, the
/// readout is the most accurate one on it (unless `options` names one) and the temperature is
/// fitted on it. Without, the readout is default_readout and the temperature is fitted on the test
/// split; the calibration error is then cross-fitted. Fits the linear probe of `evaluation` if
/// needed.
Delivery make_delivery(inference::Evaluation& evaluation, const config::EvalOptions& options,
                       DeliveredEpoch epoch);

/// Test accuracy of the last epoch, of the best epoch, and the reported one.
struct ReportedAccuracy {
  double last = 0;
  double last_top5 = 0;
  double best = 0;
  int64_t best_epoch = 0;  ///< counted from 1
  double reported = 0;
  std::string reported_epoch;  ///< "last", "best" (on the test split) or "validation"
  config::EvalReport report = config::EvalReport::kDelivered;  ///< rule of `reported`
};

/// Chooses the accuracy to report: that of the delivered model; with EvalReport::kBestTestEpoch, as
/// in the paper, that of the best test epoch, or of the last epoch if `dataset` adds noise to
/// labels or samples.
ReportedAccuracy reported_accuracy(const Delivery& delivery, const RunProgress& progress,
                                   config::EvalReport report,
                                   const dataset::DatasetOptions& dataset);

/// Result of one protocol for the delivered model.
struct FinalProtocol {
  inference::ProtocolResult result;
  bool calibrated = false;  ///< true for the readout, if its probabilities are calibrated
};

/// Final evaluation of the delivered model on the test split.
struct FinalResults {
  std::vector<FinalProtocol> protocols;  ///< that of the readout first
  int64_t classes_with_samples = 0;
  int64_t classes_with_few_samples = 0;  ///< with fewer than eval::kFewTestSamples, or none
  inference::RetrievalReport retrieval;
  std::optional<inference::InformationReport> information;  ///< empty if it was not measured
};

/// Evaluates the delivered model: accuracy of its readout and of `final_protocols`, retrieval,
/// mutual information.
FinalResults final_results(const inference::Evaluation& evaluation,
                           const config::EvalOptions& options, const Delivery& delivery);

}  // namespace projnce::run
