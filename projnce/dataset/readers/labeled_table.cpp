#include "projnce/dataset/readers/labeled_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/dataset/readers/annotator_votes.h"
#include "projnce/dataset/split/sample_id.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

/// The label noise matrix has the square of this number of entries.
constexpr size_t kMaxClasses = 10'000;
constexpr const char* kDefaultEmbedding = "embedding";

void check_columns_exist(const io::DataTable& table, const TableColumns& columns) {
  for (const auto* name : {&columns.label, &columns.text, &columns.image, &columns.audio,
                           &columns.id, &columns.split, &columns.group}) {
    if (!name->empty()) table.column(*name);
  }
}

std::optional<int64_t> parse_whole(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// Sorts labels by value if all are integers, else as text.
void sort_labels(std::vector<std::string>& names) {
  std::map<int64_t, std::string> by_number;
  for (const auto& name : names) {
    const auto number = parse_whole(name);
    // "01" and "1" are different labels.
    if (!number || !by_number.emplace(*number, name).second) {
      std::sort(names.begin(), names.end());
      return;
    }
  }
  names.clear();
  for (auto& [number, name] : by_number) names.push_back(std::move(name));
}

/// Sets labels and classes from the label of each row. Empty labels throw.
void index_labels(LabeledTable& read, const std::vector<std::string_view>& labels,
                  const std::string& column_name) {
  const auto& table = read.table;
  std::unordered_map<std::string_view, int64_t> indices;
  for (int64_t row = 0; row < table.size(); ++row) {
    const auto label = labels[static_cast<size_t>(row)];
    if (label.empty()) {
      fail(Hint{"label the row or remove it"}, table.location(row), " has no label in ",
           column_name);
    }
    if (indices.emplace(label, 0).second && indices.size() > kMaxClasses) {
      fail(table.location(row), ": ", column_name, " has more than ", kMaxClasses,
           " different labels, expected class names");
    }
  }
  for (const auto& [label, index] : indices) read.class_names.emplace_back(label);
  sort_labels(read.class_names);
  for (size_t c = 0; c < read.class_names.size(); ++c) {
    indices.at(read.class_names[c]) = static_cast<int64_t>(c);
  }
  for (const auto label : labels) read.labels.push_back(indices.at(label));
}

void read_labels(LabeledTable& read) {
  const auto& table = read.table;
  const auto column = table.column(read.columns.label);
  std::vector<std::string_view> labels;
  for (int64_t row = 0; row < table.size(); ++row) labels.push_back(table.field(row, column));
  index_labels(read, labels, concat("the column '", io::printable_start(read.columns.label), "'"));
}

void read_votes(LabeledTable& read) {
  auto counted_votes = count_votes(read.table, read.columns.votes);
  index_labels(read, {counted_votes.labels.begin(), counted_votes.labels.end()},
               "the columns of --votes");
  read.votes = std::move(counted_votes.votes);
  read.agreeing_votes = std::move(counted_votes.agreeing);
}

void check_ids(const io::DataTable& table, const std::string& name) {
  const auto column = table.column(name);
  std::unordered_map<std::string_view, int64_t> rows;
  for (int64_t row = 0; row < table.size(); ++row) {
    const auto id = table.field(row, column);
    if (id.empty()) {
      fail(table.location(row), " has no id in the column '", io::printable_start(name), "'");
    }
    const auto [found, is_new] = rows.emplace(id, row);
    if (!is_new) {
      fail(table.location(row), " has the id '", io::printable_start(id), "' in the column '",
           io::printable_start(name), "', as has ", table.location(found->second),
           ", expected different ids");
    }
  }
}

/// Number at the end of a column's name after `stem` and an optional separator.
std::optional<int64_t> column_number(std::string_view column, std::string_view stem) {
  if (!column.starts_with(stem)) return {};
  column.remove_prefix(stem.size());
  if (!column.empty() && std::string_view("_.-").find(column.front()) != column.npos) {
    column.remove_prefix(1);
  }
  if (column.empty() || column.find_first_not_of("0123456789") != column.npos) return {};
  return parse_whole(column);
}

/// Columns that a name of TableColumns::embedding stands for.
std::vector<size_t> embedding_columns_of(const io::DataTable& table, const std::string& name) {
  if (const auto exact = table.find_column(name)) return {*exact};
  std::map<int64_t, size_t> numbered;
  for (size_t c = 0; c < table.columns().size(); ++c) {
    const auto number = column_number(table.columns()[c], name);
    if (!number || numbered.emplace(*number, c).second) continue;
    fail(table.name(), " has two columns with the number ", *number, " for '",
         io::printable_start(name), "', expected one");
  }
  std::vector<size_t> columns;
  for (const auto& [number, column] : numbered) columns.push_back(column);
  return columns;
}

std::vector<size_t> find_embedding_columns(const LabeledTable& table) {
  const auto& names = table.columns.embedding;
  std::vector<size_t> columns;
  for (const auto& name : names) {
    const auto found = embedding_columns_of(table.table, name);
    if (found.empty()) table.table.column(name);  // throws
    columns.insert(columns.end(), found.begin(), found.end());
  }
  if (names.empty()) columns = embedding_columns_of(table.table, kDefaultEmbedding);
  if (columns.empty()) {
    fail(Hint{"pass --embeddings FILE.npy, --feature-columns NAME, or --run RUN"},
         table.table.name(), " has no column '", kDefaultEmbedding, "' or '", kDefaultEmbedding,
         "_0'");
  }
  return columns;
}

/// Parses the numbers of one row.
class VectorParser {
 public:
  VectorParser(const io::DataTable& table, int64_t row, std::vector<float>& values)
      : table_(table), row_(row), values_(values) {}

  /// Appends a number, or the numbers of a JSON array.
  void append(size_t column) {
    column_ = column;
    auto text = strip(table_.field(row_, column));
    if (!text.starts_with('[') || !text.ends_with(']')) return append_number(text);
    text = text.substr(1, text.size() - 2);
    while (true) {
      const size_t end = std::min(text.find(','), text.size());
      append_number(strip(text.substr(0, end)));
      if (end == text.size()) break;
      text.remove_prefix(end + 1);
    }
  }

 private:
  static std::string_view strip(std::string_view text) {
    const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    const size_t end = text.find_last_not_of(" \t");
    return text.substr(begin, end == text.npos ? 0 : end + 1 - begin);
  }

  void append_number(std::string_view text) {
    const auto digits = text.starts_with('+') ? text.substr(1) : text;
    float value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    if (!is_number || !std::isfinite(value)) {
      fail(table_.location(row_), " has '", io::printable_start(text), "' in the column '",
           io::printable_start(table_.columns()[column_]), "', expected a finite float32 number");
    }
    values_.push_back(value);
  }

  const io::DataTable& table_;
  int64_t row_;
  std::vector<float>& values_;
  size_t column_ = 0;
};

}  // namespace

std::string LabeledTable::text_of(const std::string& column, int64_t row) const {
  return column.empty() ? std::string() : std::string(table.field(row, table.column(column)));
}

std::string LabeledTable::id_of(int64_t row) const {
  return columns.id.empty() ? std::to_string(row) : text_of(columns.id, row);
}

std::filesystem::path LabeledTable::file_of(int64_t row) const {
  return folder / text_of(columns.image.empty() ? columns.audio : columns.image, row);
}

std::string LabeledTable::version() const {
  return to_text(hash_id(table.content()));
}

LabeledTable read_labeled_table(const std::filesystem::path& path, const TableColumns& columns) {
  LabeledTable read{.table = io::read_table(path),
                    .columns = columns,
                    .labels = {},
                    .class_names = {},
                    .folder = path.parent_path()};
  check_columns_exist(read.table, columns);
  if (!columns.label.empty() && !columns.votes.empty()) {
    fail("--label and --votes are both given, expected one of them");
  }
  if (!columns.label.empty()) read_labels(read);
  if (!columns.votes.empty()) read_votes(read);
  if (!columns.id.empty()) check_ids(read.table, columns.id);
  return read;
}

TableVectors read_embedding_columns(const LabeledTable& table) {
  const auto columns = find_embedding_columns(table);
  TableVectors vectors;
  for (int64_t row = 0; row < table.size(); ++row) {
    const size_t before = vectors.values.size();
    VectorParser parser(table.table, row, vectors.values);
    for (const size_t column : columns) parser.append(column);
    const auto dimensions = static_cast<int64_t>(vectors.values.size() - before);
    if (row == 0) vectors.dimensions = dimensions;
    if (dimensions != vectors.dimensions) {
      fail(table.table.location(row), " has an embedding of ", dimensions, " numbers, expected ",
           vectors.dimensions, " as in the first row");
    }
  }
  return vectors;
}

}  // namespace projnce::dataset
