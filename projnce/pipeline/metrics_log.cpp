#include "projnce/pipeline/metrics_log.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "projnce/io/system_error.h"

namespace projnce {

namespace fs = std::filesystem;

MetricsLog::MetricsLog(const fs::path& path, int64_t keep_bytes, Logger logger)
    : path_(path.string()), logger_(std::move(logger)), written_(keep_bytes) {
  if (keep_bytes > 0 &&
      (!fs::exists(path) || static_cast<int64_t>(fs::file_size(path)) < keep_bytes)) {
    fail(path_, " is shorter than its checkpoint says; the run cannot go on exactly");
  }
  file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file_.is_open() || ::ftruncate(file_.get(), keep_bytes) != 0) {
    fail_system(errno, "cannot write ", path_);
  }
}

void MetricsLog::append(const nlohmann::ordered_json& line) {
  const bool was_behind = is_behind();
  unwritten_ += line.dump() + "\n";
  write_out();
  if (is_behind() && !was_behind) {
    logger_->error("cannot write {}: {}; its lines are kept until it can", path_,
                   system_message(errno));
  }
}

void MetricsLog::write_out() {
  while (!unwritten_.empty()) {
    const ssize_t count = ::pwrite(file_.get(), unwritten_.data(), unwritten_.size(), written_);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    written_ += count;
    unwritten_.erase(0, static_cast<size_t>(count));
  }
}

void MetricsLog::sync() const {
  if (::fdatasync(file_.get()) != 0) fail_system(errno, "cannot bring ", path_, " to the disk");
}

}  // namespace projnce
