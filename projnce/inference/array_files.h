#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/readers/labeled_table.h"
#include "projnce/dataset/registry.h"

namespace projnce::inference {

/// Reads a non-empty matrix of finite float32 or float64 values and keeps the type; converts
/// float16 to float32. Throws on anything else. The file is .npy or, if its name ends in
/// .safetensors, has a tensor `embeddings` or a single tensor.
torch::Tensor read_matrix(const std::filesystem::path& path);

/// Reads a 1-D .npy array of non-negative integers as int64.
torch::Tensor read_labels(const std::filesystem::path& path);

/// Embeddings and labels from .npy files.
struct LabeledArrays {
  torch::Tensor embeddings;              // [N, D]
  torch::Tensor labels;                  // [N], int64, in 0 .. class_names.size() - 1
  std::vector<std::string> class_names;  ///< the integer labels of the file, as text
};

/// Reads embeddings and labels. Throws unless there is one label per row. The classes are those
/// that occur or, if given, `class_names`; any other label throws.
LabeledArrays read_labeled(const std::filesystem::path& embeddings,
                           const std::filesystem::path& labels,
                           const std::vector<std::string>& class_names = {});

/// Writes a float32 or int64 tensor to a .npy file, atomically.
void write_array(const std::filesystem::path& path, const torch::Tensor& tensor);

/// Which output of a run's encoder to use.
enum class RunOutput {
  kEmbeddings,  ///< after the projection head
  kFeatures,    ///< before it
};

/// A table and the source of its embeddings.
struct TableRequest {
  std::filesystem::path table;  ///< .csv, .tsv or .jsonl; empty: no table
  dataset::TableColumns columns = {};
  /// .npy or .safetensors matrix, one row per row of the table; empty: computed by `run`, or from
  /// the embedding columns.
  std::filesystem::path embeddings = {};
  std::filesystem::path run = {};     ///< embeds the image or audio column; empty: none
  dataset::OpenContext context = {};  ///< dataset cache
};

/// Rows of a table with their embeddings. Without label column, `arrays` has no labels.
struct TableSamples {
  dataset::LabeledTable table;
  LabeledArrays arrays;
};

/// Reads a table and reads or computes its embeddings. Throws unless there is one embedding per
/// row, and unless every image or sound can be decoded.
TableSamples read_table_samples(const TableRequest& request, RunOutput output,
                                const Logger& logger);

/// Throws, naming the option, if the table has no label column.
void require_labels(const TableRequest& request);

}  // namespace projnce::inference
