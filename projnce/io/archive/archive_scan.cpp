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

#include "projnce/core/counted.h"
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

std::filesystem::path spool_folder(const FileTreeOptions& options) {
  if (!options.spool_folder.empty()) return options.spool_folder;
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path("/tmp") : folder;
}

/// Opens a new unnamed file in `folder`; on failure, returns no file and sets errno.
FileDescriptor open_unnamed_file(const std::filesystem::path& folder) {
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly));
  if (file.is_open()) return file;
  // Some file systems lack O_TMPFILE; mkostemp replaces the last six characters.
  auto pattern = (folder / "projnce-spool-XXXXXX").native();
  file = FileDescriptor(::mkostemp(pattern.data(), O_CLOEXEC));
  if (file.is_open()) ::unlink(pattern.c_str());
  return file;
}

void read_exactly(const RegularFile& file, uint64_t offset, std::span<std::byte> buffer) {
  if (file.read_at(offset, buffer) < buffer.size()) {
    fail_runtime(file.name, " was truncated while being read");
  }
}

}  // namespace

void ContentsInPlace::read(uint64_t offset, std::span<std::byte> buffer) const {
  read_exactly(file_, offset, buffer);
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
  const auto folder = spool_folder(options_);
  spool_.name =
      concat("the temporary file for extracting ", archive_, " in ", printable(folder.native()));
  spool_.file = open_unnamed_file(folder);
  if (!spool_.file.is_open()) fail_system(errno, spool_.name, " cannot be created");
}

void UnpackedContents::check_free_space() {
  struct statvfs status = {};
  if (::fstatvfs(spool_.file.get(), &status) != 0) return;
  const uint64_t free = uint64_t{status.f_bavail} * status.f_frsize;
  if (free < 2 * kBytesBetweenChecks) {
    fail_runtime(Hint{"free some disk space, or extract the archive into a folder yourself"},
                 spool_.name, " does not fit on the disk: ", free, " bytes are free");
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

size_t UnpackedContents::copy_from_memory(uint64_t offset, std::span<std::byte> buffer) const {
  size_t done = 0;
  while (done < buffer.size() && offset + done < in_memory_) {
    const uint64_t at = offset + done;
    const size_t begin = at % kBlockBytes;
    const size_t available = std::min<uint64_t>(kBlockBytes - begin, in_memory_ - at);
    const size_t count = std::min(buffer.size() - done, available);
    std::memcpy(buffer.data() + done, blocks_[at / kBlockBytes].get() + begin, count);
    done += count;
  }
  return done;
}

void UnpackedContents::read(uint64_t offset, std::span<std::byte> buffer) const {
  const size_t done = copy_from_memory(offset, buffer);
  if (done < buffer.size()) {
    read_exactly(spool_, offset + done - in_memory_, buffer.subspan(done));
  }
}

namespace {

constexpr uint64_t kMaxEntries = 20'000'000;
constexpr uint64_t kMaxMemberBytes = uint64_t{16} << 30;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kTarBlock = 512;
// Small, because the contents of large members are skipped.
constexpr size_t kTarReadBytes = size_t{1} << 14;
constexpr size_t kZipReadBytes = size_t{1} << 16;

/// Sets the thread's locale: libarchive converts names to its character set. In the "C" locale,
/// names of a tar are unchanged bytes; names of a zip need a UTF-8 locale.
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

/// Normalizes a name from an archive; std::nullopt if it is missing or escapes the archive.
std::optional<std::string> safe_name(const char* name) {
  if (name == nullptr) return {};
  auto normal = normalize_name(name);
  return normal && normal->size() <= kMaxNameBytes ? normal : std::nullopt;
}

void check_member_size(uint64_t size, const std::string& member, const std::string& archive) {
  if (size <= kMaxMemberBytes) return;
  fail(archive, ": ", printable(member), " has more than ", kMaxMemberBytes,
       " bytes, the supported maximum");
}

/// Collects the entries of an archive.
class ArchiveScan {
 public:
  ArchiveScan(ArchiveReader& reader, const std::string& archive)
      : reader_(reader), archive_(archive) {}

  /// `store_content(entry, name)` returns the location of a file's content.
  template <class StoreContent>
  void run(StoreContent&& store_content) {
    while (auto* entry = reader_.next_entry()) {
      if (++entries_ > kMaxEntries) {
        fail(archive_, " has more than ", kMaxEntries, " entries, the supported maximum");
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
        index_.add_file(*name, store_content(entry, *name));
      } else {
        ++special_;
      }
    }
  }

  ScannedArchive finish(std::unique_ptr<ArchiveContents> contents) {
    special_ += index_.finish();
    const auto skipped = remark();
    if (index_.files() == 0) {
      fail(archive_, " contains no readable files", skipped.empty() ? "" : " (", skipped,
           skipped.empty() ? "" : ")");
    }
    return {std::move(index_), std::move(contents), skipped};
  }

 private:
  /// Some writers store the content with each link; such a link is treated as a file.
  static bool is_link(archive_entry* entry) {
    return archive_entry_hardlink(entry) != nullptr && archive_entry_size(entry) <= 0;
  }

  void add_link(archive_entry* entry, const std::string& name) {
    const auto target = safe_name(archive_entry_hardlink(entry));
    if (target) index_.add_link(name, *target);
    if (!target) ++special_;
  }

  /// Sentence about skipped entries for the user; "" if there are none.
  std::string remark() const {
    std::string text;
    if (bad_names_ > 0)
      text = counted(bad_names_, "entry with an invalid name", "entries with invalid names");
    if (special_ > 0) {
      text += concat(text.empty() ? "" : " and ",
                     counted(special_, "link, device or pipe", "links, devices or pipes"));
    }
    return text.empty() ? text : concat(archive_, ": skipped ", text);
  }

  ArchiveReader& reader_;
  const std::string& archive_;
  ArchiveIndex index_;
  uint64_t entries_ = 0;
  uint64_t bad_names_ = 0;
  uint64_t special_ = 0;
};

/// Throws if the end-of-archive marker is missing: libarchive accepts a tar that is truncated after
/// a member.
void check_end_marker(const RegularFile& file, uint64_t end) {
  std::array<std::byte, kTarBlock> block = {};
  const bool read = end >= kTarBlock && file.read_at(end - kTarBlock, block) == kTarBlock;
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (!read || !std::all_of(block.begin(), block.end(), is_zero)) {
    fail(Hint{"download or create the archive again"}, file.name,
         " lacks the zero block at the end of a tar: it is truncated");
  }
}

ScannedArchive scan_plain_tar(RegularFile file) {
  const ThreadLocale locale("C");
  FileSource source(file, kTarReadBytes);
  ArchiveReader reader(source, ArchiveFormat::kTar, file.name);
  ArchiveScan scan(reader, file.name);
  scan.run([&](archive_entry* entry, const std::string& name) {
    const MemberExtent extent{reader.position(), static_cast<uint64_t>(archive_entry_size(entry))};
    if (archive_entry_sparse_count(entry) > 0) {
      fail(Hint{"create it without --sparse"}, file.name, " contains the sparse file ",
           printable(name), ", which is not supported");
    }
    if (extent.offset > file.size || extent.size > file.size - extent.offset) {
      fail(Hint{"download or create the archive again"}, file.name, " is truncated: its member ",
           printable(name), " should have ", counted(extent.size, "byte"));
    }
    check_member_size(extent.size, name, file.name);
    return extent;
  });
  check_end_marker(file, reader.position());
  auto scanned = scan.finish(nullptr);
  scanned.contents = std::make_unique<ContentsInPlace>(std::move(file));
  return scanned;
}

/// `count(bytes)` is called for every decompressed block.
template <class Count>
ScannedArchive scan_contents(ArchiveReader& reader, const std::string& archive,
                             const FileTreeOptions& options, Count&& count) {
  auto contents = std::make_unique<UnpackedContents>(archive, options);
  ArchiveScan scan(reader, archive);
  scan.run([&](archive_entry*, const std::string& name) {
    MemberExtent extent{contents->size(), 0};
    for (auto block = reader.next_block(); !block.empty(); block = reader.next_block()) {
      extent.size += block.size();
      count(block.size());
      check_member_size(extent.size, name, archive);
      contents->append(block);
    }
    return extent;
  });
  return scan.finish(std::move(contents));
}

ScannedArchive scan_compressed_tar(const RegularFile& file, ByteSource& source,
                                   const FileTreeOptions& options) {
  const ThreadLocale locale("C");
  ArchiveReader reader(source, ArchiveFormat::kTar, file.name);
  auto scanned = scan_contents(reader, file.name, options, [](uint64_t) {});
  // Read on after the end of the tar: the checksum follows the padding.
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
  const auto magic = as_text(std::span(start).first(file.read_at(0, start)));
  return magic == "PK\x03\x04" || magic == "PK\x05\x06";
}

ScannedArchive scan_by_content(RegularFile file, const FileTreeOptions& options) {
  if (file.size == 0) fail(file.name, " is empty, expected an archive");
  if (const auto source = make_decompressing_source(file)) {
    return scan_compressed_tar(file, *source, options);
  }
  return is_zip(file) ? scan_zip(file, options) : scan_plain_tar(std::move(file));
}

}  // namespace

ScannedArchive scan_archive(RegularFile file, const FileTreeOptions& options) {
  const auto name = file.name;
  try {
    return scan_by_content(std::move(file), options);
  } catch (const std::bad_alloc&) {
    fail_runtime(name, " does not fit into memory");
  }
}

}  // namespace projnce::io
