#include "projnce/io/append_file.h"

#include <cerrno>
#include <utility>

#include "projnce/io/system_error.h"

namespace projnce {

AppendFile::AppendFile(FileDescriptor file, int64_t length, std::string name, Logger logger)
    : name_(std::move(name)),
      logger_(std::move(logger)),
      file_(std::move(file)),
      written_(length) {}

void AppendFile::append(std::string_view bytes) {
  const bool was_behind = is_behind();
  unwritten_ += bytes;
  write_out();
  if (is_behind() && !was_behind) {
    logger_->error("cannot write {}: {}; what belongs into it is kept until it can", name_,
                   system_message(errno));
  }
}

void AppendFile::write_out() {
  while (!unwritten_.empty()) {
    const ssize_t count = ::pwrite(file_.get(), unwritten_.data(), unwritten_.size(), written_);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    written_ += count;
    unwritten_.erase(0, static_cast<size_t>(count));
  }
}

void AppendFile::sync() const {
  if (::fdatasync(file_.get()) != 0) fail_system(errno, "cannot bring ", name_, " to the disk");
}

}  // namespace projnce
