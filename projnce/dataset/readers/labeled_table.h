#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projnce/io/table/data_table.h"

namespace projnce::dataset {

/// Names of the columns of a table with a special meaning; "" for none.
struct TableColumns {
  std::string label = {};
  /// Columns with the labels of several annotators, instead of `label`; see count_votes.
  std::vector<std::string> votes = {};
  std::string text = {};
  std::string image = {};  ///< path of an image file, relative to the folder of the table
  std::string audio = {};  ///< path of an audio file, relative to the folder of the table
  std::string id = {};     ///< different in every row
  std::string split = {};  ///< such as "train" or "test"
  std::string group = {};
  /// Columns of the embeddings, in order: the name of a column of numbers or of JSON arrays of
  /// numbers; or NAME for all columns NAME_0, NAME_1, ... ("_" may also be ".", "-" or missing).
  std::vector<std::string> embedding = {};
};

/// A table whose columns exist, with its labels as class indices.
struct LabeledTable {
  io::DataTable table;
  TableColumns columns;
  std::vector<int64_t> labels;  // [N], in 0 .. class_names.size() - 1; empty without label column
  /// The different labels: in ascending order if all are integers, else sorted as text.
  std::vector<std::string> class_names;
  /// For each row, the number of votes, and of those for its label; empty without votes.
  std::vector<int64_t> votes = {};
  std::vector<int64_t> agreeing_votes = {};

  bool has_labels() const { return !labels.empty(); }
  int64_t size() const { return table.size(); }
  /// Text of a row in the named column; "" if `column` is "".
  std::string text_of(const std::string& column, int64_t row) const;
  /// Label of a row; with votes, the one with the most votes. REQUIRES: has_labels().
  const std::string& label_of(int64_t row) const {
    return class_names[static_cast<size_t>(labels[static_cast<size_t>(row)])];
  }
  /// Id of a row; its number, from 0, without an id column.
  std::string id_of(int64_t row) const;
  /// Path of a row's image or audio file. REQUIRES: there is such a column.
  std::filesystem::path file_of(int64_t row) const;

  /// Fingerprint of the file, 32 hexadecimal digits: any change of the table changes it.
  std::string version() const;

  std::filesystem::path folder;  ///< of the table
};

/// Reads a table. Throws, naming file, line and column, if a column is missing, a label or id is
/// empty, a row has no vote, an id occurs twice, or there are more than 10 000 different labels.
LabeledTable read_labeled_table(const std::filesystem::path& path, const TableColumns& columns);

/// Rows of a table as vectors.
struct TableVectors {
  std::vector<float> values;  // [N, D]
  int64_t dimensions = 0;     ///< D
};

/// Reads the vectors from the embedding columns; without any, from the columns NAME or NAME_0,
/// NAME_1, ... with the NAME "embedding". Throws, naming file, line and column, if there are none,
/// or a value is missing, not a finite float32 number, or an array of another length.
TableVectors read_embedding_columns(const LabeledTable& table);

}  // namespace projnce::dataset
