#include "projnce/report/projector.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>

#include "projnce/core/error.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace fs = std::filesystem;

namespace {

void check_projector_lengths(const EmbeddingTable& table, size_t rows) {
  const auto check = [rows](const char* what, size_t count) {
    if (count != 0 && count != rows) {
      fail("the projector has ", count, " ", what, " for ", rows, " samples");
    }
  };
  check("labels", table.labels.size());
  check("predictions", table.predictions.size());
  check("names", table.sample_names.size());
}

/// Numbers that read back the same.
std::string projector_tensors(const EmbeddingTable& table) {
  std::string text;
  for (size_t i = 0; i < table.embeddings.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}", table.embeddings[i]);
    text += (i + 1) % table.dimensions == 0 ? '\n' : '\t';
  }
  return text;
}

struct MetadataColumn {
  std::string heading;
  std::function<std::string(size_t)> cell;
};

std::vector<MetadataColumn> metadata_columns(const EmbeddingTable& table) {
  const auto class_name = [&table](int64_t label) {
    const auto number = static_cast<size_t>(label);
    return number < table.class_names.size() ? printable(table.class_names[number])
                                             : std::to_string(label);
  };
  const auto& labels = table.labels;
  const auto& predictions = table.predictions;
  // TensorBoard takes a single column to have no heading. There are always two.
  std::vector<MetadataColumn> columns = {{"name",
                                          [&](size_t i) {
                                            return table.sample_names.empty()
                                                       ? fmt::format("sample {}", i)
                                                       : printable(table.sample_names[i]);
                                          }},
                                         {"number", [](size_t i) { return std::to_string(i); }}};
  if (!labels.empty())
    columns.push_back({"label", [=](size_t i) { return class_name(labels[i]); }});
  if (!predictions.empty()) {
    columns.push_back({"prediction", [=](size_t i) { return class_name(predictions[i]); }});
  }
  if (!labels.empty() && !predictions.empty()) {
    columns.push_back(
        {"right", [=](size_t i) { return labels[i] == predictions[i] ? "yes" : "no"; }});
  }
  return columns;
}

std::string projector_metadata(const EmbeddingTable& table, size_t rows) {
  const auto columns = metadata_columns(table);
  std::string text;
  const auto add_line = [&](const auto& cell) {
    for (size_t c = 0; c < columns.size(); ++c) text += (c > 0 ? "\t" : "") + cell(columns[c]);
    text += '\n';
  };
  add_line([](const MetadataColumn& column) { return column.heading; });
  for (size_t i = 0; i < rows; ++i) {
    add_line([i](const MetadataColumn& column) { return column.cell(i); });
  }
  return text;
}

/// In quotes, for a configuration in protobuf's text format.
std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string projector_config(const EmbeddingTable& table, size_t rows) {
  return fmt::format(
      "embeddings {{\n  tensor_name: {}\n  tensor_shape: {}\n  tensor_shape: {}\n"
      "  tensor_path: \"projector/tensors.tsv\"\n  metadata_path: \"projector/metadata.tsv\"\n}}\n",
      quoted_text(table.name), rows, table.dimensions);
}

}  // namespace

void write_projector(const fs::path& directory, const EmbeddingTable& table) {
  if (table.dimensions == 0 || table.embeddings.size() % table.dimensions != 0) {
    fail("the projector has ", table.embeddings.size(), " numbers for rows of ", table.dimensions);
  }
  const size_t rows = table.embeddings.size() / table.dimensions;
  check_projector_lengths(table, rows);
  const auto folder = directory / "projector";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_working("cannot make ", folder.string(), ": ", error.message());
  write_file_atomically(folder / "tensors.tsv", projector_tensors(table));
  write_file_atomically(folder / "metadata.tsv", projector_metadata(table, rows));
  write_file_atomically(directory / "projector_config.pbtxt", projector_config(table, rows));
}

}  // namespace projnce
