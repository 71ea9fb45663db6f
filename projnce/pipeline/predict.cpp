#include "projnce/pipeline/predict.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/dataset/decode_all.h"
#include "projnce/dataset/subset.h"
#include "projnce/pipeline/predict_inputs.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/pipeline/run_evaluation.h"
#include "projnce/pipeline/trained_model.h"
#include "projnce/report/csv.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

constexpr int64_t kBatchSize = 64;

/// Fills in the problems of files that do not decode; returns the indices of the others.
std::vector<int64_t> find_usable(const Dataset& files, std::vector<Prediction>& predictions,
                                 int threads) {
  for (const auto& damaged : decode_all(files, {.threads = threads}, [](int64_t, Sample&&) {})) {
    predictions[damaged.index].problem = damaged.reason;
  }
  std::vector<int64_t> usable;
  for (int64_t i = 0; i < files.size(); ++i) {
    if (predictions[i].problem.empty()) usable.push_back(i);
  }
  return usable;
}

/// The `count` best classes of each row; of equal scores the lower class first. Classes that are
/// never predicted are left out.
std::vector<std::vector<PredictedClass>> best_classes(const TrainedModel& trained,
                                                      const torch::Tensor& scores, int64_t count) {
  const auto& readout = trained.readout;
  const auto [sorted, order] = scores.sort(/*stable=*/true, /*dim=*/1, /*descending=*/true);
  const auto probabilities =
      readout.calibrated() ? readout_probabilities(readout, scores) : torch::Tensor();
  std::vector<std::vector<PredictedClass>> rows(static_cast<size_t>(scores.size(0)));
  for (int64_t i = 0; i < scores.size(0); ++i) {
    for (int64_t k = 0; k < std::min(count, scores.size(1)); ++k) {
      const double score = sorted[i][k].item<double>();
      if (k > 0 && std::isinf(score)) break;
      const auto label = order[i][k].item<int64_t>();
      PredictedClass guess{.name = trained.class_names[static_cast<size_t>(label)], .score = score};
      if (probabilities.defined()) guess.probability = probabilities[i][label].item<double>();
      rows[static_cast<size_t>(i)].push_back(std::move(guess));
    }
  }
  return rows;
}

ordered_json class_json(const PredictedClass& guess) {
  return {{"class", guess.name},
          {"probability",
           std::isnan(guess.probability) ? ordered_json() : ordered_json(guess.probability)},
          {"score", guess.score}};
}

}  // namespace

Predictions predict_inputs(const PredictRequest& request) {
  if (request.top_k < 1) fail("--top-k is ", request.top_k, ", expected 1 or more");
  const int threads = set_threads(0);
  const auto trained = load_trained_model(find_run(request.run).encoder());
  const auto inputs = open_predict_inputs(request.inputs, trained.input);
  Predictions predictions{.rows = std::vector<Prediction>(inputs.names.size()),
                          .readout = protocol_name(trained.readout.protocol),
                          .epoch = trained.epoch,
                          .calibrated = trained.readout.calibrated()};
  for (size_t i = 0; i < inputs.names.size(); ++i) predictions.rows[i].file = inputs.names[i];

  const auto usable = find_usable(*inputs.samples, predictions.rows, threads);
  if (usable.empty()) return predictions;
  Progress progress("predicting", static_cast<int64_t>(usable.size()), "samples");
  const auto set =
      embed_dataset(*trained.model, std::make_shared<SubsetDataset>(inputs.samples, usable),
                    eval_loader_options(trained.input, kBatchSize, threads),
                    [&](int64_t rows) { progress.update(rows); });
  progress.finish();
  auto classes = best_classes(trained, readout_scores(trained, set), request.top_k);
  for (size_t row = 0; row < usable.size(); ++row) {
    predictions.rows[static_cast<size_t>(usable[row])].classes = std::move(classes[row]);
  }
  return predictions;
}

ordered_json predictions_json(const Predictions& predictions) {
  auto rows = ordered_json::array();
  for (const auto& prediction : predictions.rows) {
    ordered_json row{{"file", prediction.file}};
    if (!prediction.problem.empty()) {
      row["error"] = prediction.problem;
    } else {
      row.update(class_json(prediction.classes.front()));
    }
    if (prediction.classes.size() > 1) {
      row["top"] = ordered_json::array();
      for (const auto& guess : prediction.classes) row["top"].push_back(class_json(guess));
    }
    rows.push_back(std::move(row));
  }
  return {{"readout", predictions.readout},
          {"epoch", predictions.epoch},
          {"calibrated", predictions.calibrated},
          {"predictions", rows}};
}

std::string predictions_csv(const Predictions& predictions, int64_t top_k) {
  size_t most = 1;
  for (const auto& row : predictions.rows) most = std::max(most, row.classes.size());
  most = std::min(most, static_cast<size_t>(top_k));
  CsvRow header;
  header.text("file").text("class").text("probability");
  for (size_t k = 2; k <= most; ++k) {
    header.text(concat("class_", k)).text(concat("probability_", k));
  }
  std::string text = header.line();
  for (const auto& prediction : predictions.rows) {
    if (!prediction.problem.empty()) continue;
    CsvRow row;
    row.text(prediction.file);
    for (size_t k = 0; k < most; ++k) {
      const bool named = k < prediction.classes.size();
      const double probability = named ? prediction.classes[k].probability : std::nan("");
      named ? row.text(prediction.classes[k].name) : row.nothing();
      std::isnan(probability) ? row.nothing() : row.number(probability);
    }
    text += row.line();
  }
  return text;
}

}  // namespace projnce
