#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "projnce/config/eval_options.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/inference/protocol_result.h"
#include "projnce/inference/run_evaluation.h"

namespace projnce::run {

/// What a run knows besides the trainer's state; it travels in every checkpoint.
struct RunProgress {
  int64_t metrics_bytes = 0;  ///< length of metrics.jsonl that belongs to the checkpoint
  double last_accuracy = 0;
  double best_accuracy = -1;
  int64_t best_epoch = 0;  ///< counted from 1
  double last_top5 = 0;
  double validation_accuracy = -1;  ///< the highest on the validation part
  int64_t validation_epoch = 0;     ///< that has it, counted from 1; 0: no validation part
  double train_seconds = 0;
  double eval_seconds = 0;
};

std::string to_text(const RunProgress& progress);
/// Throws where the text was not written by to_text.
RunProgress progress_from_text(const std::string& text);

/// The epoch whose weights a run delivers.
struct DeliveredEpoch {
  int64_t epoch = 0;   ///< from 1
  int64_t epochs = 0;  ///< of the whole training
  inference::EpochRule rule = inference::EpochRule::kLast;
};

/// The one model that a run delivers: what summary.json, the report, `predict`, `export` and
/// `eval` speak of.
struct Delivery {
  DeliveredEpoch epoch;
  inference::Readout readout;        ///< calibrated, if there is a sample to calibrate on
  inference::ProtocolResult result;  ///< of the test part, by the readout
  /// Expected calibration error of the probabilities on the test part; none without samples.
  std::optional<double> calibration_error = {};
  std::string calibrated_on = {};  ///< "validation" or "test"; empty without samples
  int64_t validation_samples = 0;
  double validation_accuracy = 0;  ///< by the readout; 0 without a validation part
};

/// Chooses and calibrates the readout of a model whose weights are final. With a validation part
/// the readout is the best one on it (unless `options` names one) and the temperature is fitted to
/// it. Without one the readout is default_readout and the temperature is fitted to the test part,
/// where the calibration error is cross-fitted. Fits the probe of `evaluation` if it is needed.
Delivery make_delivery(inference::Evaluation& evaluation, const config::EvalOptions& options,
                       DeliveredEpoch epoch);

/// The entry "delivered" of summary.json.
nlohmann::ordered_json delivery_json(const Delivery& delivery);

/// The entry "accuracy" of summary.json: last and best test epoch, and the one that is reported,
/// which is the delivered model's. With EvalReport::kBestTestEpoch it is the paper's: that of the
/// best test epoch, or the last if `dataset` adds noise to labels or samples.
nlohmann::ordered_json reported_accuracy(const Delivery& delivery, const RunProgress& progress,
                                         config::EvalReport report,
                                         const dataset::DatasetOptions& dataset);

/// What is measured once, of the delivered model: accuracy by its readout and by
/// `final_protocols`, retrieval, information. The keys are those of summary.json.
nlohmann::ordered_json final_results(const inference::Evaluation& evaluation,
                                     const config::EvalOptions& options, const Delivery& delivery);

}  // namespace projnce::run
