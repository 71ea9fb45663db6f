#include "projnce/io/archive_contents.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "projnce/io/printable.h"
#include "projnce/io/system_error.h"

namespace projnce {

namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr uint64_t kBytesBetweenChecks = uint64_t{64} << 20;
constexpr mode_t kOwnerOnly = 0600;

std::filesystem::path folder_for_spool(const FileTreeOptions& options) {
  if (!options.spool_folder.empty()) return options.spool_folder;
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path("/tmp") : folder;
}

/// A new file in `folder` that has no name; or none, with the reason in errno.
FileDescriptor open_nameless_file(const std::filesystem::path& folder) {
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly));
  if (file.is_open()) return file;
  // Some file systems make no files without a name. The last six letters become a name of its own.
  auto pattern = (folder / "projnce-spool-XXXXXX").native();
  file = FileDescriptor(::mkostemp(pattern.data(), O_CLOEXEC));
  if (file.is_open()) ::unlink(pattern.c_str());
  return file;
}

void read_exactly(const RegularFile& file, uint64_t offset, std::span<std::byte> room) {
  if (file.read_at(offset, room) < room.size()) {
    fail_working(file.name, " became shorter while it was read");
  }
}

}  // namespace

void ContentsInPlace::read(uint64_t offset, std::span<std::byte> room) const {
  read_exactly(file_, offset, room);
}

UnpackedContents::UnpackedContents(const std::string& archive, const FileTreeOptions& options)
    : options_(options), archive_(archive) {}

void UnpackedContents::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t done = append_in_memory(bytes);
    bytes = bytes.subspan(done);
    if (done > 0) continue;
    append_to_spool(bytes);
    return;
  }
}

size_t UnpackedContents::append_in_memory(std::span<const std::byte> bytes) {
  const bool full = in_memory_ == blocks_.size() * kBlockBytes;
  if (full && (blocks_.size() + 1) * kBlockBytes > options_.memory_budget) return 0;
  if (full) blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
  const size_t begin = in_memory_ % kBlockBytes;
  const size_t count = std::min(bytes.size(), kBlockBytes - begin);
  std::memcpy(blocks_.back().get() + begin, bytes.data(), count);
  in_memory_ += count;
  return count;
}

void UnpackedContents::open_spool() {
  const auto folder = folder_for_spool(options_);
  spool_.name = concat("the file for unpacking ", archive_, " in ", printable(folder.native()));
  spool_.file = open_nameless_file(folder);
  if (!spool_.file.is_open()) fail_system(errno, spool_.name, " cannot be made");
}

void UnpackedContents::check_free_space() {
  struct statvfs status = {};
  if (::fstatvfs(spool_.file.get(), &status) != 0) return;
  const uint64_t free = uint64_t{status.f_bavail} * status.f_frsize;
  if (free < 2 * kBytesBetweenChecks) {
    fail_working(Hint{"make room there, or unpack the archive into a folder yourself"}, spool_.name,
                 " has no room: ", free, " bytes are free");
  }
  next_check_ = spooled_ + kBytesBetweenChecks;
}

void UnpackedContents::append_to_spool(std::span<const std::byte> bytes) {
  if (!spool_.file.is_open()) open_spool();
  while (!bytes.empty()) {
    if (spooled_ >= next_check_) check_free_space();
    const size_t part = std::min<size_t>(bytes.size(), kBytesBetweenChecks);
    const ssize_t count =
        ::pwrite(spool_.file.get(), bytes.data(), part, static_cast<off_t>(spooled_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_system(errno, spool_.name, " cannot be written");
    spooled_ += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

size_t UnpackedContents::copy_from_memory(uint64_t offset, std::span<std::byte> room) const {
  size_t done = 0;
  while (done < room.size() && offset + done < in_memory_) {
    const uint64_t at = offset + done;
    const size_t begin = at % kBlockBytes;
    const size_t there = std::min<uint64_t>(kBlockBytes - begin, in_memory_ - at);
    const size_t count = std::min(room.size() - done, there);
    std::memcpy(room.data() + done, blocks_[at / kBlockBytes].get() + begin, count);
    done += count;
  }
  return done;
}

void UnpackedContents::read(uint64_t offset, std::span<std::byte> room) const {
  const size_t done = copy_from_memory(offset, room);
  if (done < room.size()) {
    read_exactly(spool_, offset + done - in_memory_, room.subspan(done));
  }
}

}  // namespace projnce
