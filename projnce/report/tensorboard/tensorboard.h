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

/// Origin of an event file. Host and process make its name unique.
struct EventFileStart {
  double wall_time = 0;  ///< Unix time in seconds
  std::string host;
  int64_t process = 0;
  /// For a resumed run, the step of its checkpoint. Events of later steps in earlier files are
  /// obsolete.
  std::optional<int64_t> resumed_after = std::nullopt;
};

/// Returns the origin for this process and the current time.
EventFileStart event_file_start(std::optional<int64_t> resumed_after = std::nullopt);

/// TensorBoard event file, `events.out.tfevents.TIME.HOST.PROCESS.NUMBER`; see
/// docs/file_formats.md.
///
/// Every start of a run creates a new file, so that nothing is appended to a record that a killed
/// process left incomplete. TensorBoard reads all files of a directory as one run and drops events
/// that a resumed run repeats. Data that a full disk rejects is kept and written later. Not
/// thread-safe.
class EventFile {
 public:
  /// Throws if the file cannot be created.
  EventFile(const std::filesystem::path& directory, const EventFileStart& start, Logger logger);
  ~EventFile() { flush(); }

  const std::filesystem::path& path() const { return path_; }

  /// Adds a point to the curve `tag`. Components of a tag are separated by slashes; the first is
  /// the group in TensorBoard.
  void scalar(const std::string& tag, int64_t step, double value, double wall_time);
  /// Adds an image. `png` is a complete PNG file with three channels.
  void image(const std::string& tag, int64_t step, std::span<const uint8_t> png, int width,
             int height, double wall_time);

  /// Writes buffered events to the file.
  void flush();

 private:
  EventFile(std::pair<std::filesystem::path, io::FileDescriptor> made, const EventFileStart& start,
            Logger logger);
  void add_event(const io::ProtoMessage& event);

  std::filesystem::path path_;
  io::AppendFile file_;
  std::string unflushed_;
};

/// Returns the Unix time in seconds, as stored in events.
double wall_time_now();

/// Adds a line of metrics.jsonl as points of curves and flushes. Tags are `train/loss` for training
/// steps, `train_epoch/loss` for epoch means, and `SPLIT/NAME/VALUE` for all others, such as
/// `test/nearest-centroid/top1`; an interval becomes `top1_interval/low` and `/high`. null becomes
/// NaN, because JSON has no non-finite numbers.
/// REQUIRES: an object with `step`, `split`, `name` and an object `value`.
void add_metrics(EventFile& file, const nlohmann::ordered_json& line, double wall_time);

/// Samples for TensorBoard's projector. Empty columns are omitted.
struct EmbeddingTable {
  std::string name = "embeddings";
  std::span<const float> embeddings;      ///< [N, D]
  size_t dimensions = 0;                  ///< D
  std::span<const int64_t> labels;        ///< [N]
  std::span<const int64_t> predictions;   ///< [N]
  std::vector<std::string> class_names;   ///< by label; if empty, classes are shown by number
  std::vector<std::string> sample_names;  ///< [N], any bytes
};

/// Writes `projector_config.pbtxt` to the directory, where TensorBoard looks for it, and the files
/// that it refers to, `tensors.tsv` and `metadata.tsv`, to `projector/`. Each file is written
/// atomically, the configuration last. Throws if lengths differ or a file cannot be written.
void write_projector(const std::filesystem::path& directory, const EmbeddingTable& table);

}  // namespace projnce::report
