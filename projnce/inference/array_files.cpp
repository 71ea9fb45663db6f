#include "projnce/inference/array_files.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/data/training_data.h"
#include "projnce/dataset/readers/embeddings.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"
#include "projnce/io/tensor/npy.h"
#include "projnce/io/tensor/safetensors_file.h"

namespace projnce::inference {

namespace {

/// Converts a stored array to a matrix of T, which can represent all values of Stored.
template <class Stored, class T>
torch::Tensor matrix_from(const io::NpyView& array) {
  torch::Tensor matrix =
      torch::empty({static_cast<int64_t>(array.shape[0]), static_cast<int64_t>(array.shape[1])},
                   torch::CppTypeToScalarType<T>::value);
  T* const values = matrix.data_ptr<T>();
  io::for_each_value<Stored>(array, [&](size_t i, Stored value) { values[i] = value; });
  return matrix;
}

torch::Tensor matrix_of(const io::NpyView& array) {
  if (array.type == io::NpyType::kFloat16) return matrix_from<io::Half, float>(array);
  if (array.type == io::NpyType::kFloat32) return matrix_from<float, float>(array);
  if (array.type == io::NpyType::kFloat64) return matrix_from<double, double>(array);
  return {};
}

void check_finite(const torch::Tensor& matrix, const std::string& name) {
  const auto bad = torch::isfinite(matrix).all(/*dim=*/1).logical_not().nonzero();
  if (bad.size(0) == 0) return;
  fail(name, " has a non-finite value in row ", bad[0].item<int64_t>(), " (",
       counted(bad.size(0), "such row"), "), expected finite numbers");
}

/// Throws if squares of values overflow, or vanish: such a row would be treated as zero.
void check_norms(const torch::Tensor& matrix, const std::string& name) {
  const bool is_double = matrix.scalar_type() == torch::kFloat64;
  const double smallest =
      is_double ? std::numeric_limits<double>::min() : double{std::numeric_limits<float>::min()};
  const auto squares = matrix.square().sum(/*dim=*/1);
  const auto vanishing = squares.lt(smallest).logical_and(matrix.ne(0).any(/*dim=*/1));
  const auto bad = squares.isinf().logical_or(vanishing).nonzero();
  if (bad.size(0) == 0) return;
  const auto row = bad[0].item<int64_t>();
  fail(Hint{"divide all values by the same number"}, name, " has values as large as ",
       matrix[row].abs().max().item<double>(), " in row ", row, " (", bad.size(0),
       " such rows), expected rows whose squared norm neither overflows nor vanishes");
}

torch::Tensor to_matrix(const io::NpyView& array, const std::string& name) {
  const bool is_matrix = array.shape.size() == 2 && !array.data.empty();
  const auto matrix = is_matrix ? matrix_of(array) : torch::Tensor();
  if (!matrix.defined()) {
    fail(name, " holds ", array.data.empty() ? "an empty " : "a ", array.shape.size(),
         "-dimensional array of ", io::npy_type_name(array.type),
         ", expected a matrix of float16, float32 or float64");
  }
  check_finite(matrix, name);
  return matrix;
}

/// Reads the tensor `embeddings`, or the only one.
torch::Tensor read_stored_matrix(const std::filesystem::path& path) {
  const auto bytes = io::read_regular_file(path);
  const auto file = io::parse_safetensors(bytes.span(), io::Integrity::kOptional, path.string());
  const auto& tensors = file.header.tensors;
  auto found = std::find_if(tensors.begin(), tensors.end(), [](const io::StoredTensor& tensor) {
    return tensor.name == "embeddings";
  });
  if (found == tensors.end() && tensors.size() == 1) found = tensors.begin();
  if (found == tensors.end()) {
    fail(path.string(), " has ", tensors.size(),
         " tensors, expected one, or one called "
         "'embeddings'");
  }
  const auto name = concat(path.string(), " (", io::printable_start(found->name), ")");
  return to_matrix(dataset::as_array(file, *found, name), name);
}

}  // namespace

torch::Tensor read_matrix(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") return read_stored_matrix(path);
  return to_matrix(io::read_npy(path).array, path.string());
}

torch::Tensor read_labels(const std::filesystem::path& path) {
  const auto file = io::read_npy(path);
  if (file.array.shape.size() != 1 || file.array.data.empty()) {
    fail(path.string(), " holds ", file.array.data.empty() ? "an empty " : "a ",
         file.array.shape.size(), "-dimensional array, expected a 1-dimensional array of labels");
  }
  return torch::tensor(dataset::integers(file.array, path.string()));
}

LabeledArrays read_labeled(const std::filesystem::path& embeddings,
                           const std::filesystem::path& labels,
                           const std::vector<std::string>& class_names) {
  LabeledArrays result{
      .embeddings = read_matrix(embeddings), .labels = {}, .class_names = class_names};
  check_norms(result.embeddings, embeddings.string());
  const auto given = read_labels(labels);
  if (given.size(0) != result.embeddings.size(0)) {
    fail(labels.string(), " holds ", counted(given.size(0), "label"), " and ", embeddings.string(),
         " ", counted(result.embeddings.size(0), "row"), ", expected one label per row");
  }
  const auto [numbers, number_of, counts] =
      torch::_unique2(given, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/false);
  std::vector<int64_t> class_indices;  // of each distinct label
  for (int64_t i = 0; i < numbers.size(0); ++i) {
    const auto name = std::to_string(numbers[i].item<int64_t>());
    if (class_names.empty()) result.class_names.push_back(name);
    const auto& names = result.class_names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail(labels.string(), " has the label ", name, ", which the reference labels do not have");
    }
    class_indices.push_back(found - names.begin());
  }
  result.labels = torch::tensor(class_indices).index_select(0, number_of);
  return result;
}

void write_array(const std::filesystem::path& path, const torch::Tensor& tensor) {
  const auto values = tensor.contiguous();
  const auto count = static_cast<size_t>(values.numel());
  const std::vector<uint64_t> shape(values.sizes().begin(), values.sizes().end());
  if (values.scalar_type() == torch::kLong) {
    io::write_npy(path, std::span<const int64_t>(values.data_ptr<int64_t>(), count), shape);
  } else {
    io::write_npy(path, std::span<const float>(values.data_ptr<float>(), count), shape);
  }
}

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
  const auto trained = load_trained_model(io::find_run(request.run).encoder());
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
