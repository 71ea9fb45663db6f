#include "projnce/io/archive/archive_scan.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>

#include "projnce/core/error.h"
#include "projnce/io/archive/archive_reader.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::io {

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
    fail_runtime(file.name, " became shorter while it was read");
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
    fail_runtime(Hint{"make room there, or unpack the archive into a folder yourself"}, spool_.name,
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

namespace {

constexpr uint64_t kMostEntries = 20'000'000;
constexpr uint64_t kMostMemberBytes = uint64_t{16} << 30;
constexpr size_t kMostNameBytes = 4096;
constexpr size_t kTarBlock = 512;
// Small, because between headers the contents of large members are skipped.
constexpr size_t kTarReadBytes = size_t{1} << 14;
constexpr size_t kZipReadBytes = size_t{1} << 16;

/// libarchive turns names into the character set of the thread's locale. In "C" those of a tar come
/// as the bytes that they are; those of a zip need one that has all characters.
class ThreadLocale {
 public:
  explicit ThreadLocale(const char* name)
      : locale_(::newlocale(LC_CTYPE_MASK, name, nullptr)),
        before_(locale_ != nullptr ? ::uselocale(locale_) : nullptr) {}
  ~ThreadLocale() {
    if (locale_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }
  ThreadLocale(const ThreadLocale&) = delete;
  ThreadLocale& operator=(const ThreadLocale&) = delete;

 private:
  locale_t locale_;
  locale_t before_;
};

/// A name that an archive gives, made normal; none where it is missing or leads out of the archive.
std::optional<std::string> safe_name(const char* name) {
  if (name == nullptr) return {};
  auto normal = normal_name(name);
  return normal && normal->size() <= kMostNameBytes ? normal : std::nullopt;
}

void check_member_size(uint64_t size, const std::string& member, const std::string& archive) {
  if (size <= kMostMemberBytes) return;
  fail(archive, ": ", printable(member), " has more than ", kMostMemberBytes,
       " bytes, the most that are read");
}

/// Takes the entries of one archive over, one after the other.
class ArchiveScan {
 public:
  ArchiveScan(ArchiveReader& reader, const std::string& archive)
      : reader_(reader), archive_(archive) {}

  /// `keep_content(entry, name)` says where the content of a file is.
  template <class KeepContent>
  void run(KeepContent&& keep_content) {
    while (auto* entry = reader_.next_entry()) {
      if (++entries_ > kMostEntries) {
        fail(archive_, " has more than ", kMostEntries, " entries, the most that are read");
      }
      const auto name = safe_name(archive_entry_pathname(entry));
      const bool unnamed_root = name && name->empty();
      if (unnamed_root) continue;
      if (!name) {
        ++bad_names_;
      } else if (is_link(entry)) {
        add_link(entry, *name);
      } else if (archive_entry_filetype(entry) == AE_IFDIR) {
        index_.add_folder(*name);
      } else if (archive_entry_filetype(entry) == AE_IFREG) {
        index_.add_file(*name, keep_content(entry, *name));
      } else {
        ++special_;
      }
    }
  }

  ScannedArchive finish(std::unique_ptr<ArchiveContents> contents) {
    special_ += index_.finish();
    const auto left_out = remark();
    if (index_.files() == 0) {
      fail(archive_, " holds no files that can be read", left_out.empty() ? "" : " (", left_out,
           left_out.empty() ? "" : ")");
    }
    return {std::move(index_), std::move(contents), left_out};
  }

 private:
  /// Some writers store the content with each of its names; then the link is as good as a file.
  static bool is_link(archive_entry* entry) {
    return archive_entry_hardlink(entry) != nullptr && archive_entry_size(entry) <= 0;
  }

  void add_link(archive_entry* entry, const std::string& name) {
    const auto target = safe_name(archive_entry_hardlink(entry));
    if (target) index_.add_link(name, *target);
    if (!target) ++special_;
  }

  /// What was left out, for the user; "" where nothing was.
  std::string remark() const {
    std::string text;
    if (bad_names_ > 0) text = concat(bad_names_, " entries without a usable name");
    if (special_ > 0) {
      text += concat(text.empty() ? "" : " and ", special_, " links, devices or pipes");
    }
    return text.empty() ? text : concat(archive_, ": left out ", text);
  }

  ArchiveReader& reader_;
  const std::string& archive_;
  ArchiveIndex index_;
  uint64_t entries_ = 0;
  uint64_t bad_names_ = 0;
  uint64_t special_ = 0;
};

/// libarchive takes a tar that ends behind a member for whole; one without its end mark was cut.
void check_end_mark(const RegularFile& file, uint64_t end) {
  std::array<std::byte, kTarBlock> block = {};
  const bool read = end >= kTarBlock && file.read_at(end - kTarBlock, block) == kTarBlock;
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (!read || !std::all_of(block.begin(), block.end(), is_zero)) {
    fail(Hint{"fetch or pack the archive again"}, file.name,
         " ends without the empty block that ends a tar: it is cut short");
  }
}

ScannedArchive scan_plain_tar(RegularFile file) {
  const ThreadLocale locale("C");
  FileSource source(file, kTarReadBytes);
  ArchiveReader reader(source, ArchiveFormat::kTar, file.name);
  ArchiveScan scan(reader, file.name);
  scan.run([&](archive_entry* entry, const std::string& name) {
    const MemberPlace place{reader.position(), static_cast<uint64_t>(archive_entry_size(entry))};
    if (archive_entry_sparse_count(entry) > 0) {
      fail(Hint{"pack it without --sparse"}, file.name, " holds the sparse file ", printable(name),
           ", which cannot be read");
    }
    if (place.offset > file.size || place.size > file.size - place.offset) {
      fail(Hint{"fetch or pack the archive again"}, file.name, " is cut short: its member ",
           printable(name), " should have ", place.size, " bytes");
    }
    check_member_size(place.size, name, file.name);
    return place;
  });
  check_end_mark(file, reader.position());
  auto scanned = scan.finish(nullptr);
  scanned.contents = std::make_unique<ContentsInPlace>(std::move(file));
  return scanned;
}

/// `count(bytes)` is told of all that is unpacked.
template <class Count>
ScannedArchive scan_contents(ArchiveReader& reader, const std::string& archive,
                             const FileTreeOptions& options, Count&& count) {
  auto contents = std::make_unique<UnpackedContents>(archive, options);
  ArchiveScan scan(reader, archive);
  scan.run([&](archive_entry*, const std::string& name) {
    MemberPlace place{contents->size(), 0};
    for (auto block = reader.next_block(); !block.empty(); block = reader.next_block()) {
      place.size += block.size();
      count(block.size());
      check_member_size(place.size, name, archive);
      contents->append(block);
    }
    return place;
  });
  return scan.finish(std::move(contents));
}

ScannedArchive scan_packed_tar(const RegularFile& file, ByteSource& source,
                               const FileTreeOptions& options) {
  const ThreadLocale locale("C");
  ArchiveReader reader(source, ArchiveFormat::kTar, file.name);
  auto scanned = scan_contents(reader, file.name, options, [](uint64_t) {});
  // The checksum comes last, behind what tar has no use for.
  while (!source.next().empty()) {
  }
  return scanned;
}

ScannedArchive scan_zip(const RegularFile& file, const FileTreeOptions& options) {
  const ThreadLocale locale("C.UTF-8");
  FileSource source(file, kZipReadBytes);
  ArchiveReader reader(source, ArchiveFormat::kZip, file.name);
  UnpackLimit limit(file);
  return scan_contents(reader, file.name, options, [&](uint64_t bytes) { limit.add(bytes); });
}

bool is_zip(const RegularFile& file) {
  std::array<std::byte, 4> start = {};
  const auto mark = as_text(std::span(start).first(file.read_at(0, start)));
  return mark == "PK\x03\x04" || mark == "PK\x05\x06";
}

ScannedArchive scan_by_content(RegularFile file, const FileTreeOptions& options) {
  if (file.size == 0) fail(file.name, " is empty, expected an archive");
  if (const auto source = make_unpacking_source(file)) {
    return scan_packed_tar(file, *source, options);
  }
  return is_zip(file) ? scan_zip(file, options) : scan_plain_tar(std::move(file));
}

}  // namespace

ScannedArchive scan_archive(RegularFile file, const FileTreeOptions& options) {
  const auto name = file.name;
  try {
    return scan_by_content(std::move(file), options);
  } catch (const std::bad_alloc&) {
    fail_runtime(name, " needs more memory to be read than there is");
  }
}

}  // namespace projnce::io
