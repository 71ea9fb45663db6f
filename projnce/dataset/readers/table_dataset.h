#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/labeled_table.h"

namespace projnce::dataset {

/// Options of a table as a dataset.
struct TableOptions {
  HoldOut hold_out = {};
  /// Columns. The samples are the files of `image` or `audio`; without either, vectors.
  TableColumns columns = {};
  /// .npy or .safetensors matrix with a row for each row of the table; "": the columns of
  /// `columns.embedding`. If it does not exist, that of its name next to the table.
  std::string embeddings = {};
};

/// Value of the split column that marks test samples.
inline constexpr const char* kTestSplit = "test";

/// Reads a matrix of finite floats: .npy, or .safetensors with the tensor `embeddings` or a single
/// tensor. Throws unless it has `rows` rows, those of the table `table`.
TableVectors read_vector_file(const std::filesystem::path& file, int64_t rows,
                              const std::string& table);

/// All rows of a table as samples, in its order, named by their id or number. Without label column,
/// there are no classes. Throws if a row has no file name, or the vectors cannot be read.
DatasetPtr table_samples(const std::shared_ptr<const LabeledTable>& table,
                         const TableOptions& options);

/// Opens a table. Rows with the value `test` in the split column are the test split, all others the
/// training split; without that column, the rows are split by their content. Throws if there is no
/// label column.
DatasetSplit open_table(const std::filesystem::path& path, const TableOptions& options);

}  // namespace projnce::dataset
