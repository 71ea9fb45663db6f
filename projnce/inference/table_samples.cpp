#include "projnce/inference/table_samples.h"

#include <torch/types.h>

#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/data/training_data.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"

namespace projnce::inference {

namespace {

torch::Tensor vectors_of_columns(const dataset::LabeledTable& table) {
  const auto vectors = dataset::read_embedding_columns(table);
  return torch::tensor(vectors.values).view({table.size(), vectors.dimensions});
}

/// Embeds the files of the image or audio column.
torch::Tensor embed_files(const dataset::LabeledTable& table, const TableRequest& request,
                          RunOutput output, const Logger& logger) {
  const auto& columns = table.columns;
  if (columns.image.empty() == columns.audio.empty()) {
    fail("--run needs the files to embed: expected either --image COLUMN or --audio COLUMN");
  }
  std::vector<std::filesystem::path> files;
  for (int64_t row = 0; row < table.size(); ++row) files.push_back(table.file_of(row));
  const int threads = set_threads(0);
  const auto trained = load_trained_model(io::find_run(request.run).encoder(), request.device);
  const auto cache = data::open_feature_cache(request.context);
  const auto samples =
      data::as_model_input(data::open_files(files, trained.input), trained.input, cache);
  const auto set = embed_samples(
      trained, samples, {.label = "embedding", .threads = threads, .strict = true}, logger);
  return output == RunOutput::kFeatures ? set.features : set.embeddings;
}

torch::Tensor embeddings_of(const dataset::LabeledTable& table, const TableRequest& request,
                            RunOutput output, const Logger& logger) {
  const int sources = int{!request.embeddings.empty()} + int{!request.run.empty()} +
                      int{!request.columns.embedding.empty()};
  if (sources > 1) {
    fail(
        "the embeddings have several sources, expected one of --embeddings, --feature-columns "
        "and --run");
  }
  if (!request.run.empty()) return embed_files(table, request, output, logger);
  if (request.embeddings.empty()) return vectors_of_columns(table);
  auto matrix = read_matrix(request.embeddings);
  if (matrix.size(0) != table.size()) {
    fail(Hint{"compute the embeddings of this table, in its order"},
         io::printable(request.embeddings.native()), " has ", matrix.size(0), " rows and ",
         table.table.name(), " ", table.size(), ", expected one embedding per row of the table");
  }
  return matrix;
}

}  // namespace

void require_labels(const TableRequest& request) {
  if (!request.columns.label.empty()) return;
  fail("expected --label COLUMN, the labels of ", io::printable(request.table.native()));
}

TableSamples read_table_samples(const TableRequest& request, RunOutput output,
                                const Logger& logger) {
  TableSamples samples{.table = dataset::read_labeled_table(request.table, request.columns),
                       .arrays = {}};
  samples.arrays.embeddings = embeddings_of(samples.table, request, output, logger);
  samples.arrays.class_names = samples.table.class_names;
  if (!samples.table.labels.empty()) {
    samples.arrays.labels = torch::tensor(samples.table.labels, torch::kLong);
  }
  return samples;
}

}  // namespace projnce::inference
