#include "projnce/io/archive_scan.h"

#include <locale.h>

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "projnce/core/error.h"
#include "projnce/io/archive_reader.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"

namespace projnce {

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
    fail_working(name, " needs more memory to be read than there is");
  }
}

}  // namespace projnce
