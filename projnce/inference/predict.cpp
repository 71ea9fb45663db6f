#include "projnce/inference/predict.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/config/input_options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/data/training_data.h"
#include "projnce/dataset/inspect/decode_all.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/run_evaluation.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"
#include "projnce/report/text_table.h"

namespace projnce::inference {

namespace {

namespace fs = std::filesystem;

/// Samples to classify and their names.
struct PredictInputs {
  dataset::DatasetPtr samples;
  std::vector<std::string> names;  ///< printable
};

/// Dataset of the rows of a matrix, without classes: every label is 0.
class MatrixRows : public dataset::Dataset {
 public:
  explicit MatrixRows(torch::Tensor rows) : rows_(std::move(rows)) {}

  SampleKind kind() const override { return SampleKind::kVector; }
  int64_t size() const override { return rows_.size(0); }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  int64_t label(int64_t /*index*/) const override { return 0; }
  std::string sample_name(int64_t index) const override { return std::to_string(index); }
  Sample decode(int64_t index) const override {
    const auto* begin = rows_.data_ptr<float>() + index * rows_.size(1);
    return Features{.channels = static_cast<int>(rows_.size(1)),
                    .height = 1,
                    .width = 1,
                    .values = {begin, begin + rows_.size(1)}};
  }

 private:
  torch::Tensor rows_;  // [N, D], float32, contiguous
  std::vector<std::string> no_names_;
};

std::vector<fs::path> sample_files_in(const fs::path& folder, SampleKind kind) {
  const auto& extensions = dataset::extensions_of(kind);
  std::vector<fs::path> files;
  for (const auto& file : io::open_file_tree(folder)->files_below("", extensions)) {
    files.push_back(folder / file);
  }
  if (files.empty()) {
    fail("folder ", io::printable(folder.native()),
         " has no file that this run can read, expected the extensions ", join(extensions));
  }
  return files;
}

PredictInputs open_matrices(const std::vector<fs::path>& inputs,
                            const config::InputOptions& input) {
  PredictInputs opened;
  std::vector<torch::Tensor> matrices;
  for (const auto& file : inputs) {
    const auto name = io::printable(file.native());
    if (file.extension() != ".npy") {
      fail(Hint{"use .npy matrices with one row per sample"}, name,
           " is not a .npy file; this run was trained on vectors");
    }
    const auto rows = read_matrix(file).to(torch::kFloat32);
    if (rows.size(1) != input.vector_size) {
      fail(name, " has ", counted(rows.size(1), "column"), ", expected ", input.vector_size,
           " as in training");
    }
    for (int64_t i = 0; i < rows.size(0); ++i) opened.names.push_back(concat(name, ":", i));
    matrices.push_back(rows);
  }
  opened.samples = std::make_shared<MatrixRows>(torch::cat(matrices).contiguous());
  return opened;
}

/// Opens files and folders for a model with this input. A folder stands for all images or audio
/// files below it, recursively, sorted by name. For a model of vectors, inputs are .npy matrices
/// with one row per sample. Does not decode files. Throws if a folder has no such file or a matrix
/// does not fit.
PredictInputs open_predict_inputs(const std::vector<fs::path>& inputs,
                                  const config::InputOptions& input) {
  if (input.kind == SampleKind::kVector) return open_matrices(inputs, input);
  std::vector<fs::path> files;
  for (const auto& path : inputs) {
    std::error_code unreadable;
    if (!fs::is_directory(path, unreadable)) {
      files.push_back(path);
      continue;
    }
    for (auto& file : sample_files_in(path, input.kind)) files.push_back(std::move(file));
  }
  PredictInputs opened;
  for (const auto& file : files) opened.names.push_back(io::printable(file.native()));
  opened.samples = data::as_model_input(data::open_files(files, input), input, nullptr);
  return opened;
}

constexpr int64_t kBatchSize = 64;

/// Fills in the errors of files that do not decode; returns the indices of the others.
std::vector<int64_t> find_readable(const dataset::Dataset& files,
                                   std::vector<Prediction>& predictions, int threads) {
  for (const auto& corrupt :
       dataset::decode_all(files, {.threads = threads}, [](int64_t, Sample&&) {})) {
    predictions[corrupt.index].problem = corrupt.reason;
  }
  std::vector<int64_t> readable;
  for (int64_t i = 0; i < files.size(); ++i) {
    if (predictions[i].problem.empty()) readable.push_back(i);
  }
  return readable;
}

/// Top `count` classes of each row; ties in order of the class index. Omits classes with infinite
/// scores, which are never predicted.
std::vector<std::vector<PredictedClass>> top_classes(const TrainedModel& trained,
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
      PredictedClass candidate{.name = trained.class_names[static_cast<size_t>(label)],
                               .score = score};
      if (probabilities.defined()) candidate.probability = probabilities[i][label].item<double>();
      rows[static_cast<size_t>(i)].push_back(std::move(candidate));
    }
  }
  return rows;
}

}  // namespace

Predictions predict_inputs(const PredictRequest& request) {
  if (request.top_k < 1) fail("--top-k = ", request.top_k, ", expected 1 or more");
  const int threads = set_threads(0);
  const auto trained = load_trained_model(io::find_run(request.run).encoder());
  const auto inputs = open_predict_inputs(request.inputs, trained.input);
  Predictions predictions{.rows = std::vector<Prediction>(inputs.names.size()),
                          .readout = eval::protocol_name(trained.readout.protocol),
                          .epoch = trained.epoch,
                          .calibrated = trained.readout.calibrated()};
  for (size_t i = 0; i < inputs.names.size(); ++i) predictions.rows[i].file = inputs.names[i];

  const auto readable = find_readable(*inputs.samples, predictions.rows, threads);
  if (readable.empty()) return predictions;
  Progress progress("predicting", static_cast<int64_t>(readable.size()), "samples");
  const auto set = embed_dataset(*trained.model,
                                 std::make_shared<dataset::SubsetDataset>(inputs.samples, readable),
                                 eval_loader_options(trained.input, kBatchSize, threads),
                                 [&](int64_t rows) { progress.update(rows); });
  progress.finish();
  auto classes = top_classes(trained, readout_scores(trained, set), request.top_k);
  for (size_t row = 0; row < readable.size(); ++row) {
    predictions.rows[static_cast<size_t>(readable[row])].classes = std::move(classes[row]);
  }
  return predictions;
}

std::string predictions_csv(const Predictions& predictions, int64_t top_k) {
  size_t columns = 1;
  for (const auto& row : predictions.rows) columns = std::max(columns, row.classes.size());
  columns = std::min(columns, static_cast<size_t>(top_k));
  report::CsvRow header;
  header.text("file").text("class").text("probability");
  for (size_t k = 2; k <= columns; ++k) {
    header.text(concat("class_", k)).text(concat("probability_", k));
  }
  std::string text = header.line();
  for (const auto& prediction : predictions.rows) {
    if (!prediction.problem.empty()) continue;
    report::CsvRow row;
    row.text(prediction.file);
    for (size_t k = 0; k < columns; ++k) {
      const bool named = k < prediction.classes.size();
      const double probability = named ? prediction.classes[k].probability : std::nan("");
      named ? row.text(prediction.classes[k].name) : row.nothing();
      std::isnan(probability) ? row.nothing() : row.number(probability);
    }
    text += row.line();
  }
  return text;
}

}  // namespace projnce::inference
