#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/protobuf.h"

namespace projnce::report {

/// Who writes an event file and from where on. Host and process make its name unique.
struct EventFileStart {
  double wall_time = 0;  ///< seconds since 1970
  std::string host;
  int64_t process = 0;
  /// A run that goes on: the steps that its checkpoint had seen. What earlier files say of later
  /// steps no longer holds.
  std::optional<int64_t> resumed_after = std::nullopt;
};

/// This process, now.
EventFileStart event_file_start(std::optional<int64_t> resumed_after = std::nullopt);

/// A file that TensorBoard reads, `events.out.tfevents.TIME.HOST.PROCESS.NUMBER`; see
/// docs/file_formats.md.
///
/// Every start of a run makes a new file. So none is ever written behind a record that a killed
/// process left unfinished, and TensorBoard, which reads all files of a directory by name as one
/// run, drops what a resumed run makes anew. What a full disk does not take is kept and written
/// later. Use it from one thread.
class EventFile {
 public:
  /// Throws where the file cannot be made.
  EventFile(const std::filesystem::path& directory, const EventFileStart& start, Logger logger);
  ~EventFile() { flush(); }

  const std::filesystem::path& path() const { return path_; }

  /// A point of the curve `tag`. Parts of a tag stand between slashes; the first is the group under
  /// which TensorBoard shows it.
  void scalar(const std::string& tag, int64_t step, double value, double wall_time);
  /// `png` is the whole file of a image with three channels.
  void image(const std::string& tag, int64_t step, std::span<const uint8_t> png, int width,
             int height, double wall_time);

  /// Hands everything to the system, for readers to see.
  void flush();

 private:
  EventFile(std::pair<std::filesystem::path, io::FileDescriptor> made, const EventFileStart& start,
            Logger logger);
  void add_event(const io::ProtoMessage& event);

  std::filesystem::path path_;
  io::AppendFile file_;
  std::string unflushed_;
};

/// Seconds since 1970, as events carry them.
double wall_time_now();

/// A line of metrics.jsonl as points of curves, flushed. A training step's values are called
/// `train/loss`, an epoch's means `train_epoch/loss`, all others `SPLIT/NAME/VALUE`, such as
/// `test/zero-shot/top1`; an interval becomes `top1_interval/low` and `/high`. JSON knows no number
/// that is not finite: null is NaN again.
/// REQUIRES: an object with `step`, `split`, `name` and an object `value`.
void add_metrics(EventFile& file, const nlohmann::ordered_json& line, double wall_time);

/// Samples for TensorBoard's projector. A column that is empty is left out.
struct EmbeddingTable {
  std::string name = "embeddings";
  std::span<const float> embeddings;      ///< [N, D]
  size_t dimensions = 0;                  ///< D
  std::span<const int64_t> labels;        ///< [N]
  std::span<const int64_t> predictions;   ///< [N]
  std::vector<std::string> class_names;   ///< by label, or none: classes are called by number
  std::vector<std::string> sample_names;  ///< [N], any bytes
};

/// Writes `projector_config.pbtxt` into the directory, which is where TensorBoard looks for it, and
/// what it refers to into `projector/`: `tensors.tsv` and `metadata.tsv`. Each file appears whole
/// or not at all, the configuration last. Throws where lengths differ or a file cannot be written.
void write_projector(const std::filesystem::path& directory, const EmbeddingTable& table);

}  // namespace projnce::report
