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
  std::vector<std::filesystem::path> inputs;  ///< files and folders; see open_predict_inputs
  int64_t top_k = 1;                          ///< classes named for each sample; at least 1
};

/// A class that a sample may have.
struct PredictedClass {
  std::string name;
  double score = 0;  ///< that the readout ranks classes by: cosine, logit or share of votes
  /// Calibrated; NaN if the run's version did not calibrate.
  double probability = std::numeric_limits<double>::quiet_NaN();
};

struct Prediction {
  std::string file;
  std::vector<PredictedClass> classes = {};  ///< the best first; empty if there is a problem
  std::string problem = {};                  ///< why the file could not be used
};

struct Predictions {
  std::vector<Prediction> rows;  ///< in the order of the inputs
  std::string readout;           ///< of the run: "projection"
  int64_t epoch = 0;             ///< of the run's weights; 0 if it is not known
  bool calibrated = false;
};

/// The classes of images, sounds or vectors by the delivered model of a finished run.
Predictions predict_inputs(const PredictRequest& request);

/// What `predict --json` prints.
nlohmann::ordered_json predictions_json(const Predictions& predictions);

/// A header and a line for each sample that could be read: file, class, probability; for more than
/// one class a sample also class_2, probability_2 and so on.
std::string predictions_csv(const Predictions& predictions, int64_t top_k);

}  // namespace projnce::inference
