#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "projnce/dataset/dataset_options.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/readout.h"
#include "projnce/pipeline/run_evaluation.h"
#include "projnce/pipeline/run_progress.h"

namespace projnce {

/// The epoch whose weights a run delivers.
struct DeliveredEpoch {
  int64_t epoch = 0;   ///< from 1
  int64_t epochs = 0;  ///< of the whole training
  EpochRule rule = EpochRule::kLast;
};

/// The one model that a run delivers: what summary.json, the report, `predict`, `export` and
/// `eval` speak of.
struct Delivery {
  DeliveredEpoch epoch;
  Readout readout;      ///< calibrated, if there is a sample to calibrate on
  Judgement judgement;  ///< of the test part, by the readout
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
Delivery make_delivery(Evaluation& evaluation, const EvalOptions& options, DeliveredEpoch epoch);

/// The entry "delivered" of summary.json.
nlohmann::ordered_json delivery_json(const Delivery& delivery);

/// The entry "accuracy" of summary.json: last and best test epoch, and the one that is reported,
/// which is the delivered model's. With EvalReport::kBestTestEpoch it is the paper's: that of the
/// best test epoch, or the last if `dataset` adds noise to labels or samples.
nlohmann::ordered_json reported_accuracy(const Delivery& delivery, const RunProgress& progress,
                                         EvalReport report, const DatasetOptions& dataset);

}  // namespace projnce
