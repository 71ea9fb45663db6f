#include "projnce/report/tensorboard/tensorboard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/digest.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/printable.h"

namespace projnce::report {

namespace fs = std::filesystem;

namespace {

constexpr size_t kEventBuffer = size_t{1} << 16;  // maximum number of unflushed bytes

// Field numbers of TensorBoard's event.proto and summary.proto.
constexpr uint32_t kEventWallTime = 1;
constexpr uint32_t kEventStep = 2;
constexpr uint32_t kEventFileVersion = 3;
constexpr uint32_t kEventSummary = 5;
constexpr uint32_t kEventSessionLog = 7;
constexpr uint32_t kSessionStatus = 1;
constexpr int64_t kSessionStart = 1;
constexpr uint32_t kSummaryValue = 1;
constexpr uint32_t kValueTag = 1;
constexpr uint32_t kValueSimple = 2;
constexpr uint32_t kValueImage = 4;
constexpr uint32_t kValueMetadata = 9;
constexpr uint32_t kMetadataPluginData = 1;
constexpr uint32_t kMetadataDataClass = 4;
constexpr int64_t kDataClassScalar = 1;
constexpr uint32_t kPluginName = 1;
constexpr uint32_t kImageHeight = 1;
constexpr uint32_t kImageWidth = 2;
constexpr uint32_t kImageColorSpace = 3;
constexpr int64_t kColorSpaceRgb = 3;
constexpr uint32_t kImageEncoded = 4;

/// Returns the masked checksum stored in records; masking avoids the CRC of data that contains
/// CRCs.
uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = io::crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

/// Appends a record: length, its checksum, bytes, their checksum.
void append_record(std::string& out, std::string_view bytes) {
  std::string length;
  io::append_little_endian(length, uint64_t{bytes.size()});
  out += length;
  io::append_little_endian(out, masked_crc32c(length));
  out += bytes;
  io::append_little_endian(out, masked_crc32c(bytes));
}

io::ProtoMessage event_at(double wall_time, int64_t step) {
  return io::ProtoMessage().real(kEventWallTime, wall_time).whole(kEventStep, step);
}

io::ProtoMessage scalar_metadata() {
  return io::ProtoMessage()
      .message(kMetadataPluginData, io::ProtoMessage().text(kPluginName, "scalars"))
      .whole(kMetadataDataClass, kDataClassScalar);
}

/// Sanitizes a host name for use in a file name.
std::string host_part(std::string host) {
  for (char& c : host) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return host.empty() ? "host" : host;
}

/// Creates a new file. The number distinguishes files that one process creates in the same second.
std::pair<fs::path, io::FileDescriptor> make_event_file(const fs::path& directory,
                                                        const EventFileStart& start) {
  for (int number = 0;; ++number) {
    auto path = directory / fmt::format("events.out.tfevents.{:010}.{}.{}.{}",
                                        static_cast<int64_t>(start.wall_time),
                                        host_part(start.host), start.process, number);
    io::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.is_open()) return {std::move(path), std::move(file)};
    if (errno != EEXIST) io::fail_system(errno, "cannot write ", path.string());
  }
}

}  // namespace

double wall_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFileStart event_file_start(std::optional<int64_t> resumed_after) {
  std::array<char, HOST_NAME_MAX + 1> host = {};
  ::gethostname(host.data(), host.size() - 1);
  return {.wall_time = wall_time_now(),
          .host = host.data(),
          .process = ::getpid(),
          .resumed_after = resumed_after};
}

EventFile::EventFile(const fs::path& directory, const EventFileStart& start, Logger logger)
    : EventFile(make_event_file(directory, start), start, std::move(logger)) {}

EventFile::EventFile(std::pair<fs::path, io::FileDescriptor> made, const EventFileStart& start,
                     Logger logger)
    : path_(std::move(made.first)),
      file_(std::move(made.second), 0, path_.string(), std::move(logger)) {
  add_event(event_at(start.wall_time, 0).text(kEventFileVersion, "brain.Event:2"));
  // At each START event after the first, TensorBoard drops all events of that step and later. The
  // step of the checkpoint itself is kept, because results at the end of an epoch carry it.
  const int64_t first = start.resumed_after ? *start.resumed_after + 1 : 0;
  add_event(
      event_at(start.wall_time, first)
          .message(kEventSessionLog, io::ProtoMessage().whole(kSessionStatus, kSessionStart)));
  flush();
}

void EventFile::scalar(const std::string& tag, int64_t step, double value, double wall_time) {
  const auto point = io::ProtoMessage()
                         .text(kValueTag, tag)
                         .single(kValueSimple, static_cast<float>(value))
                         .message(kValueMetadata, scalar_metadata());
  add_event(event_at(wall_time, step)
                .message(kEventSummary, io::ProtoMessage().message(kSummaryValue, point)));
}

void EventFile::image(const std::string& tag, int64_t step, std::span<const uint8_t> png, int width,
                      int height, double wall_time) {
  const std::string_view encoded(reinterpret_cast<const char*>(png.data()), png.size());
  const auto image = io::ProtoMessage()
                         .whole(kImageHeight, height)
                         .whole(kImageWidth, width)
                         .whole(kImageColorSpace, kColorSpaceRgb)
                         .text(kImageEncoded, encoded);
  const auto value = io::ProtoMessage().text(kValueTag, tag).message(kValueImage, image);
  add_event(event_at(wall_time, step)
                .message(kEventSummary, io::ProtoMessage().message(kSummaryValue, value)));
}

void EventFile::add_event(const io::ProtoMessage& event) {
  append_record(unflushed_, event.bytes());
  if (unflushed_.size() > kEventBuffer) flush();
}

void EventFile::flush() {
  file_.append(std::exchange(unflushed_, {}));
}

namespace {

using nlohmann::ordered_json;

std::string metrics_group(const std::string& split, const std::string& name) {
  if (name == "step") return split;
  return name == "epoch" ? split + "_epoch" : split + "/" + name;
}

/// Destination of the values of a line.
struct CurvePlace {
  EventFile& file;
  int64_t step;
  double wall_time;

  void add(const std::string& tag, const ordered_json& value) const {
    if (value.is_number()) {
      file.scalar(tag, step, value.get<double>(), wall_time);
    } else if (value.is_null()) {
      file.scalar(tag, step, std::numeric_limits<double>::quiet_NaN(), wall_time);
    } else if (value.is_array() && value.size() == 2) {
      add(tag + "/low", value[0]);
      add(tag + "/high", value[1]);
    }
  }
};

}  // namespace

void add_metrics(EventFile& file, const ordered_json& line, double wall_time) {
  const auto group =
      metrics_group(line.at("split").get<std::string>(), line.at("name").get<std::string>());
  const CurvePlace place{file, line.at("step").get<int64_t>(), wall_time};
  for (const auto& [name, value] : line.at("value").items()) place.add(group + "/" + name, value);
  file.flush();
}

namespace {

void check_projector_lengths(const EmbeddingTable& table, size_t rows) {
  const auto check = [rows](const char* what, size_t count) {
    if (count != 0 && count != rows) {
      fail("the projector got ", count, " ", what, ", expected ", rows);
    }
  };
  check("labels", table.labels.size());
  check("predictions", table.predictions.size());
  check("names", table.sample_names.size());
}

/// Formats the tensors with enough digits to round-trip.
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
    return number < table.class_names.size() ? io::printable(table.class_names[number])
                                             : std::to_string(label);
  };
  const auto& labels = table.labels;
  const auto& predictions = table.predictions;
  // TensorBoard expects a header only for two or more columns; there are always two.
  std::vector<MetadataColumn> columns = {{"name",
                                          [&](size_t i) {
                                            return table.sample_names.empty()
                                                       ? fmt::format("sample {}", i)
                                                       : io::printable(table.sample_names[i]);
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

/// Quotes text for protobuf's text format.
std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : io::printable(text)) {
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
    fail("the projector got ", table.embeddings.size(), " values, expected a multiple of ",
         table.dimensions);
  }
  const size_t rows = table.embeddings.size() / table.dimensions;
  check_projector_lengths(table, rows);
  const auto folder = directory / "projector";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_runtime("cannot create ", folder.string(), ": ", error.message());
  io::write_file_atomically(folder / "tensors.tsv", projector_tensors(table));
  io::write_file_atomically(folder / "metadata.tsv", projector_metadata(table, rows));
  io::write_file_atomically(directory / "projector_config.pbtxt", projector_config(table, rows));
}

}  // namespace projnce::report
