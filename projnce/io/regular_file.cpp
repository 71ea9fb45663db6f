#include "projnce/io/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <new>

#include "projnce/io/file_descriptor.h"
#include "projnce/io/printable.h"
#include "projnce/io/system_error.h"

namespace projnce {

namespace {

const char* kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

FileBytes allocate(size_t size, const std::string& name) {
  try {
    return FileBytes(size);
  } catch (const std::bad_alloc&) {
    fail_working(name, " has ", size, " bytes, more than there is memory for");
  }
}

void read_all(int file, std::span<std::byte> bytes, const std::string& name) {
  size_t done = 0;
  while (done < bytes.size()) {
    const auto rest = bytes.subspan(done);
    const ssize_t count = ::read(file, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_system(errno, name, " cannot be read");
    if (count == 0) {
      fail_working(name, " became shorter while it was read: ", done, " bytes instead of ",
                   bytes.size());
    }
    done += static_cast<size_t>(count);
  }
}

}  // namespace

FileBytes read_regular_file(const std::filesystem::path& path, size_t limit) {
  const auto name = printable(path.native());
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) fail(name, " cannot be read: ", system_message(errno));
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail_system(errno, name, " cannot be examined");
  if (!S_ISREG(status.st_mode)) {
    fail(name, " is ", kind_of_file(status.st_mode), ", expected a regular file");
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size > limit) fail(name, " has ", size, " bytes, expected at most ", limit);
  auto bytes = allocate(size, name);
  read_all(file.get(), bytes.span(), name);
  return bytes;
}

}  // namespace projnce
