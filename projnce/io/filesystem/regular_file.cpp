#include "projnce/io/filesystem/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "projnce/core/counted.h"
#include "projnce/core/toml.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

const char* kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

FileBytes allocate_file_bytes(size_t size, const std::string& name) {
  try {
    return FileBytes(size);
  } catch (const std::bad_alloc&) {
    fail_runtime(name, " has ", size, " bytes, which do not fit into memory");
  }
}

void check_range(uint64_t offset, size_t size, uint64_t file_bytes, const std::string& name) {
  if (size > file_bytes || offset > file_bytes - size) {
    fail(name, " has ", counted(file_bytes, "byte"), ", expected ", size, " at offset ", offset);
  }
}

size_t RegularFile::read_at(uint64_t offset, std::span<std::byte> buffer) const {
  size_t done = 0;
  while (done < buffer.size()) {
    const auto rest = buffer.subspan(done);
    const ssize_t count =
        ::pread(file.get(), rest.data(), rest.size(), static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_system(errno, name, " cannot be read");
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

RegularFile open_regular_file(const std::filesystem::path& path) {
  RegularFile opened;
  opened.name = printable(path.native());
  // O_NONBLOCK: opening a pipe must not block.
  opened.file = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened.file.is_open()) fail(opened.name, " cannot be read: ", system_message(errno));
  struct stat status = {};
  if (::fstat(opened.file.get(), &status) != 0) {
    fail_system(errno, opened.name, ": stat failed");
  }
  if (!S_ISREG(status.st_mode)) {
    fail(opened.name, " is ", kind_of_file(status.st_mode), ", expected a regular file");
  }
  opened.size = static_cast<uint64_t>(status.st_size);
  opened.changed_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return opened;
}

FileBytes read_regular_file(const std::filesystem::path& path, size_t limit) {
  const auto opened = open_regular_file(path);
  if (opened.size > limit) {
    fail(opened.name, " has ", opened.size, " bytes, expected at most ", limit);
  }
  auto bytes = allocate_file_bytes(opened.size, opened.name);
  const size_t done = opened.read_at(0, bytes.span());
  if (done < opened.size) {
    fail_runtime(opened.name, " was truncated while being read: ", counted(done, "byte"),
                 ", expected ", opened.size);
  }
  return bytes;
}

std::string read_text_file(const std::filesystem::path& path, size_t limit) {
  return std::string(as_text(read_regular_file(path, limit).span()));
}

std::string read_optional_text(const std::filesystem::path& path, size_t limit) {
  std::error_code unreadable;
  return std::filesystem::exists(path, unreadable) ? read_text_file(path, limit) : std::string();
}

std::string read_file_end(const std::filesystem::path& path, size_t most) {
  const auto file = open_regular_file(path);
  const size_t size = std::min<uint64_t>(file.size, most);
  auto bytes = allocate_file_bytes(size, file.name);
  const size_t done = file.read_at(file.size - size, bytes.span());
  return std::string(as_text(bytes.span().first(done)));
}

Table read_toml(const std::filesystem::path& path) {
  const auto bytes = read_regular_file(path, kMostConfigBytes);
  return parse_toml(as_text(bytes.span()), path.filename().string());
}

}  // namespace projnce::io

projnce::Table projnce::read_toml(const std::filesystem::path& path) {
  return io::read_toml(path);
}
