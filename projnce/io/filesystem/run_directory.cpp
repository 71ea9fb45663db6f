#include "projnce/io/filesystem/run_directory.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace fs = std::filesystem;

namespace {

/// True if the directory contains anything except leftovers of a run that was killed before it
/// wrote its configuration.
bool has_other_files(const fs::path& root) {
  const RunPaths run{root};
  for (const auto& entry : fs::directory_iterator(root)) {
    const auto& path = entry.path();
    const bool leftover = path == run.lock() || (path == run.checkpoints() && fs::is_empty(path)) ||
                          path.filename().string().starts_with(".config.toml.tmp.");
    if (!leftover) return true;
  }
  return false;
}

}  // namespace

void check_new_run(const fs::path& root) {
  if (fs::exists(root)) {
    if (!fs::is_directory(root)) fail("the output ", root.string(), " is a file, not a directory");
    if (fs::exists(RunPaths{root}.config())) {
      fail(Hint{"choose another --out, or continue the run with --resume"}, "the output directory ",
           root.string(), " already contains a run");
    }
    if (has_other_files(root)) {
      fail(Hint{"choose another --out"}, "the output directory ", root.string(), " is not empty");
    }
  }
  // The nearest existing ancestor must be writable.
  fs::path existing = fs::absolute(root).lexically_normal();
  while (!fs::exists(existing)) existing = existing.parent_path();
  if (!fs::is_directory(existing) || access(existing.c_str(), W_OK | X_OK) != 0) {
    fail("the output directory ", root.string(), " is not writable: no permission for ",
         existing.string());
  }
}

RunPaths make_run(const fs::path& root) {
  const RunPaths paths{root};
  std::error_code error;
  fs::create_directories(paths.checkpoints(), error);
  if (error) fail("cannot create the output directory ", root.string(), ": ", error.message());
  return paths;
}

RunPaths find_run(const fs::path& root) {
  const RunPaths paths{root};
  if (!contains_run(root)) {
    fail(Hint{"pass a directory written by `projnce train`, such as runs/NAME"}, root.string(),
         " does not contain a run: config.toml is missing");
  }
  return paths;
}

void remove_leftovers(const RunPaths& paths) {
  remove_stale_temporaries(paths.root);
  remove_stale_temporaries(paths.root / "projector");
}

fs::path unused_run_path(const fs::path& base) {
  fs::path name = base;
  for (int i = 2; fs::exists(name); ++i) name = base.string() + "-" + std::to_string(i);
  return name;
}

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
