#include "projnce/io/filesystem/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryInfix = ".tmp.";

fs::path temporary_path(const fs::path& target) {
  const auto name = concat(".", target.filename().string(), kTemporaryInfix, ::getpid());
  return target.parent_path() / name;
}

/// Process id encoded in the name of a temporary file; std::nullopt for other names.
std::optional<pid_t> writer_pid(const std::string& name) {
  const auto mark = name.rfind(kTemporaryInfix);
  if (name.empty() || name.front() != '.' || mark == std::string::npos || mark < 2) return {};
  const char* begin = name.data() + mark + kTemporaryInfix.size();
  const char* end = name.data() + name.size();
  pid_t writer = 0;
  const auto [stop, error] = std::from_chars(begin, end, writer);
  if (error != std::errc{} || stop != end || writer <= 0) return {};
  return writer;
}

/// A running writer holds a lock. The process id alone is not sufficient if it equals this
/// process's: in a container, a restarted program often has the id of the killed one.
bool is_unlocked(const fs::path& temporary) {
  const FileDescriptor file(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

/// Another thread of this process locks its file shortly after creating it; a file left by a
/// previous process is older.
bool is_old(const fs::path& temporary) {
  constexpr auto kMinute = std::chrono::minutes(1);
  std::error_code error;
  const auto written = fs::last_write_time(temporary, error);
  return !error && fs::file_time_type::clock::now() - written > kMinute;
}

bool is_abandoned(const fs::path& temporary, pid_t writer) {
  if (writer == ::getpid()) return is_old(temporary) && is_unlocked(temporary);
  return ::kill(writer, 0) != 0 && errno == ESRCH;
}

/// Resolves symbolic links of the target; throws if it exists and is not a regular file.
fs::path resolve_target(const fs::path& target) {
  std::error_code error;
  const auto status = fs::status(target, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    return fs::is_symlink(fs::symlink_status(target, error)) ? fs::weakly_canonical(target, error)
                                                             : target;
  }
  fail_runtime("cannot write ", target.string(), ": it exists and is not a regular file");
}

void sync_directory(const fs::path& target) {
  const auto directory = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const FileDescriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: some file systems do not support syncing directories.
  if (!file.is_open() || (::fsync(file.get()) != 0 && errno != EINVAL)) {
    fail_system(errno, "cannot sync the directory of ", target.string());
  }
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target)
    : target_(resolve_target(target)), temporary_(temporary_path(target_)) {
  open_temporary();
}

AtomicFile::~AtomicFile() {
  if (file_.is_open()) ::unlink(temporary_.c_str());
}

void AtomicFile::open_temporary() {
  constexpr int kFlags = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC;
  constexpr mode_t kMode = 0666;  // subject to the umask
  const auto open = [this] {
    file_ = FileDescriptor(::open(temporary_.c_str(), kFlags, kMode));
    return file_.is_open() ? 0 : errno;
  };
  int error = open();
  if (error == EEXIST && is_unlocked(temporary_)) {
    ::unlink(temporary_.c_str());
    error = open();
  }
  if (error != 0) {
    fail_system(error, "cannot write ", target_.string(), " through ", temporary_.string());
  }
  // On file systems without locks, only the process id protects the temporary file.
  ::flock(file_.get(), LOCK_EX | LOCK_NB);
}

void AtomicFile::reserve(uint64_t bytes) {
  if (bytes == 0) return;
  const int error = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes));
  const bool unsupported = error == EOPNOTSUPP || error == EINVAL || error == ENOSYS;
  if (error != 0 && !unsupported) {
    fail_system(error, "cannot reserve ", bytes, " bytes for ", target_.string());
  }
  if (error == 0) reserved_ = bytes;
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_system(errno, "cannot write ", target_.string());
    bytes = bytes.subspan(static_cast<size_t>(count));
    written_ += static_cast<uint64_t>(count);
  }
}

void AtomicFile::commit(Durability durability) {
  if (reserved_ > written_ && ::ftruncate(file_.get(), static_cast<off_t>(written_)) != 0) {
    fail_system(errno, "cannot truncate ", target_.string());
  }
  if (durability == Durability::kSync && ::fsync(file_.get()) != 0) {
    fail_system(errno, "cannot sync ", target_.string(), " to disk");
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail_system(errno, "cannot rename ", temporary_.string(), " to ", target_.string());
  }
  // After the rename, the destructor must not unlink the file.
  if (!file_.close()) fail_system(errno, "cannot close ", target_.string());
  if (durability == Durability::kSync) sync_directory(target_);
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes,
                           Durability durability) {
  AtomicFile file(path);
  file.reserve(bytes.size());
  file.write(bytes);
  file.commit(durability);
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  write_file_atomically(path, std::as_bytes(std::span(text)));
}

std::vector<fs::path> remove_stale_temporaries(const fs::path& directory) {
  std::vector<fs::path> removed;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto writer = writer_pid(entry->path().filename().string());
    std::error_code ignored;
    if (!writer || !entry->is_regular_file(ignored) || entry->is_symlink(ignored)) continue;
    if (!is_abandoned(entry->path(), *writer)) continue;
    if (::unlink(entry->path().c_str()) == 0) removed.push_back(entry->path());
  }
  return removed;
}

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
    logger_->error("cannot write {}: {}; keeping the data in memory until it can be written", name_,
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
  if (::fdatasync(file_.get()) != 0) fail_system(errno, "cannot sync ", name_, " to disk");
}

}  // namespace projnce::io
