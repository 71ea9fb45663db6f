#include "projnce/io/filesystem/file_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>

#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

std::string lock_owner_text(pid_t process) {
  std::array<char, HOST_NAME_MAX + 1> host = {};
  ::gethostname(host.data(), host.size() - 1);
  return concat("process ", process, " on ", host.data());
}

std::string read_lock_owner(int file) {
  std::array<char, 256> text = {};
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  std::string owner(text.data(), count > 0 ? static_cast<size_t>(count) : 0);
  owner = owner.substr(0, owner.find('\n'));
  return owner.empty() ? "another process" : printable(owner);
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (!file_.is_open()) fail_system(errno, "cannot open the lock ", path.string());
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    fail(Hint{"wait for it or stop it; two writers would corrupt each other's files"},
         path.parent_path().string(), " is being written by ", read_lock_owner(file_.get()));
  }
  const auto text = lock_owner_text(::getpid()) + "\n";
  // Recording the owner is best effort: it may fail on a full disk, but the lock is held.
  if (::ftruncate(file_.get(), 0) == 0) {
    [[maybe_unused]] const auto written = ::pwrite(file_.get(), text.data(), text.size(), 0);
  }
}

std::optional<bool> is_lock_owner_alive(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe must not block.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) return {};
  const auto owner = read_lock_owner(file.get());
  pid_t process = 0;
  if (std::sscanf(owner.c_str(), "process %d on ", &process) != 1 || process <= 0) return {};
  if (owner != lock_owner_text(process)) return {};
  return ::kill(process, 0) == 0 || errno == EPERM;
}

}  // namespace projnce::io
