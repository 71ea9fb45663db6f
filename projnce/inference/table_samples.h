#pragma once

#include <filesystem>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/dataset/readers/labeled_table.h"
#include "projnce/dataset/registry.h"
#include "projnce/inference/array_files.h"

namespace projnce::inference {

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
  std::string device = "auto";        ///< of that run, see resolve_device
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
