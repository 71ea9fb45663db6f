#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace projnce::inference {

struct PredictRequest {
  std::filesystem::path run;
  std::vector<std::filesystem::path> inputs;  ///< files and folders
  int64_t top_k = 1;                          ///< number of classes per sample; at least 1
  std::string device = "auto";                ///< see resolve_device
};

/// One class of a prediction.
struct PredictedClass {
  std::string name;
  double score = 0;  ///< of the readout: cosine, logit or fraction of votes
  /// Calibrated; NaN if the run has no calibration.
  double probability = std::numeric_limits<double>::quiet_NaN();
};

struct Prediction {
  std::string file;
  std::vector<PredictedClass> classes = {};  ///< highest score first; empty on error
  std::string problem = {};                  ///< why the file could not be read; empty on success
};

struct Predictions {
  std::vector<Prediction> rows;  ///< in input order
  std::string readout;           ///< protocol name, such as "projection"
  int64_t epoch = 0;             ///< of the weights; 0: unknown
  bool calibrated = false;
};

/// Classifies images, audio or vectors with the delivered model of a finished run.
Predictions predict_inputs(const PredictRequest& request);

/// Output of `predict --json`.
nlohmann::ordered_json predictions_json(const Predictions& predictions);

/// CSV with a header and one line per readable sample: file, class, probability; if top_k > 1 also
/// class_2, probability_2 and so on.
std::string predictions_csv(const Predictions& predictions, int64_t top_k);

}  // namespace projnce::inference
