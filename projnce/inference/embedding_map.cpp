#include "projnce/inference/embedding_map.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <chrono>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/eval/pca.h"
#include "projnce/eval/tsne/tsne.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/map/scatter_map.h"

namespace projnce::inference {

PlaneMap map_by_pca(const torch::Tensor& rows) {
  if (rows.size(0) < 2 || rows.size(1) < 2) {
    fail("PCA: the matrix is ", rows.size(0), " x ", rows.size(1), ", expected at least 2 x 2");
  }
  return {.positions = eval::pca(rows, 2).to(torch::kFloat32),
          .how = "first two principal components"};
}

PlaneMap map_by_tsne(const torch::Tensor& rows, const eval::TsneOptions& options) {
  Progress progress("t-SNE", options.iterations, "iterations");
  std::string note = "nearest neighbors";
  progress.update(0, note);
  const auto result = eval::tsne(rows, options, [&](const eval::TsneState& state) {
    if (state.divergence) note = fmt::format("KL {:.3f}", *state.divergence);
    progress.update(state.iteration, note);
    return true;
  });
  return {.positions = result.positions,
          .how = fmt::format("t-SNE, perplexity {:.3g}, KL {:.3f}", result.perplexity,
                             result.divergence),
          .tsne = TsneFit{.perplexity = result.perplexity,
                          .iterations = result.iterations,
                          .divergence = result.divergence}};
}

namespace {

namespace fs = std::filesystem;

/// Rows to project, with labels and title.
struct MapInput {
  torch::Tensor rows;
  torch::Tensor labels = {};  // undefined: none
  std::vector<std::string> class_names = {};
  std::string title;
};

MapInput read_run_embeddings(const fs::path& root) {
  const auto run = io::find_run(root);
  const auto trained = load_trained_model(run.encoder());
  MapInput input{.rows = read_matrix(run.embeddings()), .title = root.lexically_normal().string()};
  input.labels = read_labels(run.labels());
  input.class_names = trained.class_names;
  return input;
}

MapInput read_table(const TableRequest& request, const Logger& logger) {
  const auto arrays = read_table_samples(request, RunOutput::kEmbeddings, logger).arrays;
  return {.rows = arrays.embeddings,
          .labels = arrays.labels,
          .class_names = arrays.class_names,
          .title = request.table.filename().string()};
}

MapInput read_map_input(const MapRequest& request, const Logger& logger) {
  if (!request.table.table.empty()) return read_table(request.table, logger);
  if (fs::is_directory(request.input) && request.labels.empty()) {
    return read_run_embeddings(request.input);
  }
  MapInput input{.rows = {}, .title = request.input.filename().string()};
  if (request.labels.empty()) {
    input.rows = read_matrix(request.input);
    return input;
  }
  const auto arrays = read_labeled(request.input, request.labels);
  input.rows = arrays.embeddings;
  input.labels = arrays.labels;
  input.class_names = arrays.class_names;
  return input;
}

bool is_array_name(const fs::path& file) {
  return file.extension() == ".npy";
}

std::vector<fs::path> chosen_outputs(const MapRequest& request) {
  if (request.outputs.empty()) {
    std::error_code ignored;
    if (!fs::exists(request.input, ignored)) {
      fail(request.input.string(), " does not exist, expected a run or a .npy file");
    }
    if (!fs::is_directory(request.input, ignored)) {
      fail("tsne of ", request.input.string(),
           " needs an output file: -o FILE.npy, .svg, .png or .html");
    }
    return {request.input / (request.method == MapMethod::kPca ? "pca.npy" : "tsne.npy")};
  }
  for (const auto& file : request.outputs) {
    if (!is_array_name(file)) report::check_map_name(file);
  }
  return request.outputs;
}

void write_map(const fs::path& file, const MapInput& input, const PlaneMap& map) {
  if (is_array_name(file)) return write_array(file, map.positions);
  const auto positions = map.positions.contiguous();
  const auto labels = input.labels.defined() ? input.labels.contiguous() : torch::Tensor();
  report::ScatterMap image{
      .positions = {positions.data_ptr<float>(), static_cast<size_t>(positions.numel())},
      .labels = {},
      .class_names = input.class_names,
      .title = input.title,
      .subtitle = concat(counted(positions.size(0), "sample"), ", ", map.how)};
  if (labels.defined()) {
    image.labels = {labels.data_ptr<int64_t>(), static_cast<size_t>(labels.numel())};
  }
  report::write_scatter_map(file, image);
}

}  // namespace

MapResult map_embeddings(const MapRequest& request, const Logger& logger) {
  using Clock = std::chrono::steady_clock;
  set_threads(0);
  const auto outputs = chosen_outputs(request);
  const auto input = read_map_input(request, logger);
  logger->info("projecting {} of dimension {}", counted(input.rows.size(0), "embedding"),
               input.rows.size(1));
  const auto started = Clock::now();
  const auto map = request.method == MapMethod::kPca ? map_by_pca(input.rows)
                                                     : map_by_tsne(input.rows, request.tsne);
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  for (const auto& file : outputs) write_map(file, input, map);
  return {.samples = input.rows.size(0), .tsne = map.tsne, .seconds = seconds, .files = outputs};
}

}  // namespace projnce::inference
