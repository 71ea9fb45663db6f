#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "projnce/core/logging.h"
#include "projnce/io/append_file.h"

namespace projnce {

/// metrics.jsonl: one JSON object a line. It can be cut back to what a checkpoint had seen, so that
/// a resumed run writes the same file as one that never stopped. Lines that a full disk does not
/// take are kept and written with later ones. Use `append` from one thread.
class MetricsLog {
 public:
  /// Goes on behind the first `keep_bytes` bytes; the rest of an earlier file is dropped.
  MetricsLog(const std::filesystem::path& path, int64_t keep_bytes, Logger logger);

  void append(const nlohmann::ordered_json& line) { file_.append(line.dump() + "\n"); }
  /// Length of the file with all lines in it.
  int64_t bytes() const { return file_.bytes(); }
  /// Whether the disk has not taken all lines.
  bool is_behind() const { return file_.is_behind(); }

  /// Brings what is written to the disk itself; may run beside `append`. Throws where the system
  /// cannot.
  void sync() const { file_.sync(); }

 private:
  AppendFile file_;
};

}  // namespace projnce
