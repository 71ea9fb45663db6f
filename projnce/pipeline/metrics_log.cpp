#include "projnce/pipeline/metrics_log.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "projnce/io/system_error.h"

namespace projnce {

namespace fs = std::filesystem;

namespace {

FileDescriptor open_metrics(const fs::path& path, int64_t keep_bytes) {
  if (keep_bytes > 0 &&
      (!fs::exists(path) || static_cast<int64_t>(fs::file_size(path)) < keep_bytes)) {
    fail(path.string(), " is shorter than its checkpoint says; the run cannot go on exactly");
  }
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open() || ::ftruncate(file.get(), keep_bytes) != 0) {
    fail_system(errno, "cannot write ", path.string());
  }
  return file;
}

}  // namespace

MetricsLog::MetricsLog(const fs::path& path, int64_t keep_bytes, Logger logger)
    : file_(open_metrics(path, keep_bytes), keep_bytes, path.string(), std::move(logger)) {}

}  // namespace projnce
