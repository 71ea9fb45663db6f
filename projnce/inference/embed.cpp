#include "projnce/inference/embed.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/config/run_config.h"
#include "projnce/config/run_request.h"
#include "projnce/core/counted.h"
#include "projnce/core/device.h"
#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/data/run_data_path.h"
#include "projnce/data/training_data.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"

namespace projnce::inference {

namespace {

/// Sets a model to evaluation mode for the lifetime of this object.
class EvalMode {
 public:
  explicit EvalMode(encoder::EmbeddingModel& model)
      : model_(model), was_training_(model.is_training()) {
    model_.eval();
  }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;
  ~EvalMode() { model_.train(was_training_); }

 private:
  encoder::EmbeddingModel& model_;
  bool was_training_;
};

}  // namespace

EmbeddedSet embed_dataset(encoder::EmbeddingModel& model, const dataset::DatasetPtr& dataset,
                          const loader::EvalLoaderOptions& options,
                          const std::function<void(int64_t)>& on_rows) {
  const torch::NoGradGuard no_grad;
  const EvalMode eval_mode(model);
  const auto device = encoder::device_of(model);
  EmbeddedSet set{.embeddings = torch::empty({dataset->size(), model.embedding_dim()}),
                  .features = torch::empty({dataset->size(), model.feature_dim()}),
                  .labels = torch::empty({dataset->size()}, torch::kLong),
                  .indices = torch::empty({dataset->size()}, torch::kLong)};
  loader::EvalLoader loader(dataset, options);
  int64_t row = 0;
  while (const auto batch = loader.next()) {
    const auto encoded = model.forward(upload(batch->images, device));
    set.embeddings.narrow(0, row, batch->size()).copy_(encoded.embeddings);
    set.features.narrow(0, row, batch->size()).copy_(encoded.features);
    set.labels.narrow(0, row, batch->size()).copy_(batch->labels);
    set.indices.narrow(0, row, batch->size()).copy_(batch->indices);
    row += batch->size();
    if (on_rows) on_rows(row);
  }
  // Corrupt samples were skipped.
  for (auto* tensor : {&set.embeddings, &set.features, &set.labels, &set.indices}) {
    *tensor = tensor->narrow(0, 0, row);
  }
  return set;
}

namespace {

namespace fs = std::filesystem;

/// Splits to embed, in order.
struct Inputs {
  std::vector<dataset::DatasetPtr> splits;
  bool labeled = false;
};

/// Opens the data of the run with its split.
dataset::OpenedDataset open_own_data(const EmbedRequest& request, int threads) {
  const auto run = io::find_run(request.run);
  auto config = config::parse_run_config(config::read_stored_settings(run.config()));
  const auto context = data::run_data_context(run, config, request.data, request.context);
  return data::open_training_data(config, threads, context).dataset;
}

dataset::OpenedDataset open_named_data(const EmbedRequest& request,
                                       const config::InputOptions& input, int threads) {
  auto context = request.context;
  context.threads = threads;
  context.sound = input.clip_format();
  return dataset::open_dataset(config::named_dataset(request.inputs.front()), context);
}

Inputs open_splits(const EmbedRequest& request, const config::InputOptions& input, int threads) {
  const auto opened = request.inputs.empty() ? open_own_data(request, threads)
                                             : open_named_data(request, input, threads);
  Inputs inputs{.splits = {}, .labeled = true};
  if (request.split != "test") inputs.splits.push_back(opened.train);
  if (request.split != "train") inputs.splits.push_back(opened.test);
  return inputs;
}

Inputs open_inputs(const EmbedRequest& request, const config::InputOptions& input, int threads) {
  if (request.inputs.empty() ||
      (request.inputs.size() == 1 && config::names_dataset(request.inputs.front()))) {
    return open_splits(request, input, threads);
  }
  for (const auto& file : request.inputs) {
    if (!fs::is_regular_file(file)) {
      fail(Hint{"expected one dataset name, one folder or archive, or files"}, io::printable(file),
           " is not a file, a folder or a dataset");
    }
  }
  const std::vector<fs::path> files(request.inputs.begin(), request.inputs.end());
  return {.splits = {data::open_files(files, input)}, .labeled = false};
}

fs::path sibling_file(fs::path output, const char* extension) {
  return output.replace_extension(extension);
}

/// Names of the samples `indices`, one per line.
std::string name_lines(const dataset::Dataset& split, const torch::Tensor& indices) {
  std::string lines;
  const auto rows = indices.contiguous();
  for (int64_t i = 0; i < rows.size(0); ++i) {
    lines += io::printable(split.sample_name(rows.data_ptr<int64_t>()[i])) + "\n";
  }
  return lines;
}

}  // namespace

EmbedResult embed_inputs(const EmbedRequest& request, const Logger& logger) {
  if (request.output.extension() != ".npy") {
    fail(Hint{"for example: -o embeddings.npy"}, "the output ", request.output.string(),
         " does not end in .npy");
  }
  const int threads = set_threads(0);
  const auto trained = load_trained_model(io::find_run(request.run).encoder(), request.device);
  const auto inputs = open_inputs(request, trained.input, threads);
  const auto cache = data::open_feature_cache(request.context);
  std::vector<torch::Tensor> embeddings;
  std::vector<torch::Tensor> labels;
  std::string names;
  for (const auto& split : inputs.splits) {
    logger->info("embedding {}", counted(split->size(), "sample"));
    // Explicitly named files must all be readable.
    const auto set = embed_samples(
        trained, data::as_model_input(split, trained.input, cache),
        {.label = "embedding", .threads = threads, .strict = !inputs.labeled}, logger);
    embeddings.push_back(set.embeddings);
    labels.push_back(set.labels);
    names += name_lines(*split, set.indices);
  }
  const auto rows = torch::cat(embeddings);  // [N, D]
  write_array(request.output, rows);
  EmbedResult result{.rows = rows.size(0),
                     .dim = rows.size(1),
                     .embeddings = request.output,
                     .names = sibling_file(request.output, ".names.txt"),
                     .labels = {}};
  io::write_file_atomically(result.names, names);
  if (inputs.labeled) {
    result.labels = sibling_file(request.output, ".labels.npy");
    write_array(result.labels, torch::cat(labels));
  }
  return result;
}

}  // namespace projnce::inference
