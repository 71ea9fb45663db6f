#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "projnce/data/run_data_path.h"
#include "projnce/run/delivery.h"

namespace projnce::run {

/// Result of a finished training.
struct TrainingSummary {
  std::filesystem::path run;  ///< its directory
  std::string dataset;        ///< name of the dataset
  data::DataRecord data;
  std::map<std::string, std::string> fingerprints;  ///< of the splits, by their key in `data`
  std::string loss;                                 ///< name of the loss
  std::string encoder;                              ///< name of the encoder
  int64_t seed = 0;
  double label_noise = 0;    ///< requested rate
  int64_t wrong_labels = 0;  ///< number of training labels that the noise changed
  int64_t train_samples = 0;
  int64_t test_samples = 0;
  int64_t skipped_samples = 0;                     ///< corrupt, of all splits
  std::optional<int64_t> validation_samples = {};  ///< empty without a validation split
  int64_t classes = 0;
  int64_t epochs = 0;
  Delivery delivery;
  ReportedAccuracy accuracy;
  FinalResults results;
  double images_per_second = 0;  ///< in training
  int ranks = 1;
  double train_seconds = 0;
  double waiting_seconds = 0;  ///< part of `train_seconds` spent waiting for data
  double eval_seconds = 0;
};

/// Returns the entry "delivered" of summary.json.
nlohmann::ordered_json delivery_json(const Delivery& delivery);

/// Returns the contents of summary.json.
nlohmann::ordered_json summary_json(const TrainingSummary& summary);

}  // namespace projnce::run
