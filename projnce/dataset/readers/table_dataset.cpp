#include "projnce/dataset/readers/table_dataset.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/embeddings.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/vector_rows.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"
#include "projnce/io/tensor/npy.h"
#include "projnce/io/tensor/safetensors_file.h"

namespace projnce::dataset {

namespace {

namespace fs = std::filesystem;

/// Files or vectors with the labels and ids of a table.
class TableDataset : public DatasetWrapper {
 public:
  TableDataset(DatasetPtr samples, std::shared_ptr<const LabeledTable> table)
      : DatasetWrapper(std::move(samples)), table_(std::move(table)) {
    for (const auto& name : table_->class_names) names_.push_back(io::printable(name));
  }

  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override {
    return table_->has_labels() ? table_->labels.at(static_cast<size_t>(index)) : 0;
  }
  std::string sample_name(int64_t index) const override { return table_->id_of(index); }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override {
    return base().decode_region(index, required);
  }

 private:
  std::shared_ptr<const LabeledTable> table_;
  std::vector<std::string> names_;
};

TableVectors to_vectors(const io::NpyView& array, int64_t rows, const std::string& name,
                        const std::string& table) {
  if (array.shape.size() != 2 || array.data.empty()) {
    fail(name, " is not a matrix, expected one row for each row of ", table);
  }
  if (std::cmp_not_equal(array.shape[0], rows)) {
    fail(Hint{"compute the embeddings of this table, in its order"}, name, " has ", array.shape[0],
         " rows and ", table, " ", rows, ", expected one embedding per row of the table");
  }
  return {.values = finite_floats(array, name), .dimensions = static_cast<int64_t>(array.shape[1])};
}

TableVectors read_stored_vectors(const fs::path& file, int64_t rows, const std::string& table) {
  const auto name = io::printable(file.native());
  const auto bytes = io::read_regular_file(file);
  const auto stored = io::parse_safetensors(bytes.span(), io::Integrity::kOptional, name);
  const auto& tensors = stored.header.tensors;
  auto found = std::find_if(tensors.begin(), tensors.end(), [](const io::StoredTensor& tensor) {
    return tensor.name == "embeddings";
  });
  if (found == tensors.end() && tensors.size() == 1) found = tensors.begin();
  if (found == tensors.end()) {
    fail(name, " has ", tensors.size(), " tensors, expected one, or one called 'embeddings'");
  }
  return to_vectors(as_array(stored, *found, name), rows, name, table);
}

/// The file, or the one of its name next to the table if it does not exist.
fs::path locate_embeddings(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return file;
  const auto adjacent = folder / file.filename();
  return fs::exists(adjacent, ignored) ? adjacent : file;
}

DatasetPtr vectors_of(const LabeledTable& table, const TableOptions& options) {
  auto vectors = options.embeddings.empty()
                     ? read_embedding_columns(table)
                     : read_vector_file(locate_embeddings(options.embeddings, table.folder),
                                        table.size(), table.table.name());
  return std::make_shared<VectorDataset>(
      LabeledVectors{.name = table.table.name(),
                     .dimensions = static_cast<uint64_t>(vectors.dimensions),
                     .values = std::move(vectors.values),
                     .labels = std::vector<int64_t>(static_cast<size_t>(table.size()))},
      std::vector<std::string>{});
}

DatasetPtr files_of(const LabeledTable& table, SampleKind kind) {
  const auto& column = kind == SampleKind::kImage ? table.columns.image : table.columns.audio;
  std::vector<fs::path> files;
  for (int64_t row = 0; row < table.size(); ++row) {
    if (table.text_of(column, row).empty()) {
      fail(table.table.location(row), " has no file in the column '", io::printable_start(column),
           "'");
    }
    files.push_back(table.file_of(row));
  }
  return std::make_shared<FileList>(std::move(files), kind);
}

DatasetSplit split_by_column(const DatasetPtr& samples, const LabeledTable& table) {
  std::vector<int64_t> train;
  std::vector<int64_t> test;
  for (int64_t row = 0; row < table.size(); ++row) {
    (table.text_of(table.columns.split, row) == kTestSplit ? test : train).push_back(row);
  }
  if (train.empty() || test.empty()) {
    fail(table.table.name(), " has ", counted(test.size(), "row"), " with the value '", kTestSplit,
         "' in the column '", io::printable_start(table.columns.split), "' and ",
         counted(train.size(), "other"), ", expected both");
  }
  return {.train = std::make_shared<SubsetDataset>(samples, std::move(train)),
          .test = std::make_shared<SubsetDataset>(samples, std::move(test))};
}

/// Warns about classes without training samples, which no model can learn.
void warn_about_untrained_classes(DatasetSplit& split) {
  const auto& names = split.train->class_names();
  std::vector<bool> present(names.size());
  for (int64_t i = 0; i < split.train->size(); ++i) {
    present[static_cast<size_t>(split.train->label(i))] = true;
  }
  for (size_t c = 0; c < names.size(); ++c) {
    if (present[c]) continue;
    split.warnings.push_back(concat("class '", names[c], "' has no training samples"));
  }
}

}  // namespace

TableVectors read_vector_file(const fs::path& file, int64_t rows, const std::string& table) {
  if (file.extension() == ".safetensors") return read_stored_vectors(file, rows, table);
  return to_vectors(io::read_npy(file).array, rows, io::printable(file.native()), table);
}

DatasetPtr table_samples(const std::shared_ptr<const LabeledTable>& table,
                         const TableOptions& options) {
  const auto& columns = table->columns;
  if (!columns.image.empty() && !columns.audio.empty()) {
    fail("--image and --audio are both given, expected one of them");
  }
  const bool has_files = !columns.image.empty() || !columns.audio.empty();
  if (has_files && (!options.embeddings.empty() || !columns.embedding.empty())) {
    fail(Hint{"remove --image or --audio to use the embeddings"},
         "expected either files or embeddings as samples of ", table->table.name());
  }
  const auto kind = columns.audio.empty() ? SampleKind::kImage : SampleKind::kAudio;
  return std::make_shared<TableDataset>(
      has_files ? files_of(*table, kind) : vectors_of(*table, options), table);
}

DatasetSplit open_table(const fs::path& path, const TableOptions& options) {
  const auto table =
      std::make_shared<const LabeledTable>(read_labeled_table(path, options.columns));
  if (!table->has_labels()) {
    fail("expected --label COLUMN (dataset.label), the labels of ", io::printable(path.native()));
  }
  const auto samples = table_samples(table, options);
  auto split = options.columns.split.empty() ? split_samples(samples, options.hold_out)
                                             : split_by_column(samples, *table);
  if (split.test->size() == 0) {
    fail(table->table.name(), " has no class with two different samples to split");
  }
  warn_about_untrained_classes(split);
  return split;
}

}  // namespace projnce::dataset
