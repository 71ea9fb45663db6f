#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/core/logging.h"
#include "projnce/io/file_descriptor.h"

namespace projnce {

/// metrics.jsonl: one JSON object a line. It can be cut back to what a checkpoint had seen, so that
/// a resumed run writes the same file as one that never stopped. Lines that a full disk does not
/// take are kept and written with later ones. Use `append` from one thread.
class MetricsLog {
 public:
  /// Goes on behind the first `keep_bytes` bytes; the rest of an earlier file is dropped.
  MetricsLog(const std::filesystem::path& path, int64_t keep_bytes, Logger logger);

  void append(const nlohmann::ordered_json& line);
  /// Length of the file with all lines in it.
  int64_t bytes() const { return written_ + static_cast<int64_t>(unwritten_.size()); }
  /// Whether the disk has not taken all lines.
  bool is_behind() const { return !unwritten_.empty(); }

  /// Brings what is written to the disk itself; may run beside `append`. Throws where the system
  /// cannot.
  void sync() const;

 private:
  void write_out();

  std::string path_;
  Logger logger_;
  FileDescriptor file_;
  int64_t written_;
  std::string unwritten_;
};

}  // namespace projnce
