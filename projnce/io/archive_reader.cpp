#include "projnce/io/archive_reader.h"

#include <cstdio>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"

namespace projnce {

ArchiveReader::ArchiveReader(ByteSource& source, ArchiveFormat format, const std::string& name)
    : source_(source), name_(name), archive_(archive_read_new()) {
  if (!archive_) fail_working("libarchive has no memory for ", name);
  support(format);
  archive_read_set_callback_data(archive_.get(), this);
  archive_read_set_read_callback(archive_.get(), on_read);
  archive_read_set_skip_callback(archive_.get(), on_skip);
  if (format == ArchiveFormat::kZip) archive_read_set_seek_callback(archive_.get(), on_seek);
  check(archive_read_open1(archive_.get()));
}

void ArchiveReader::support(ArchiveFormat format) {
  switch (format) {
    case ArchiveFormat::kTar:
      archive_read_support_format_tar(archive_.get());
      break;
    case ArchiveFormat::kZip:
      // Through its table of contents, which is at the end: so a zip that is cut is no zip.
      archive_read_support_format_zip_seekable(archive_.get());
      break;
    case ArchiveFormat::kPackedFile:
      archive_read_support_format_raw(archive_.get());
      archive_read_support_filter_bzip2(archive_.get());
      archive_read_support_filter_xz(archive_.get());
      archive_read_support_filter_zstd(archive_.get());
      break;
  }
}

void ArchiveReader::check(int status) {
  if (source_error_) std::rethrow_exception(source_error_);
  if (status == ARCHIVE_OK || status == ARCHIVE_EOF) return;
  const char* words = archive_error_string(archive_.get());
  const auto reason = words != nullptr ? printable(words) : "libarchive does not say why";
  if (archive_format(archive_.get()) == 0) {
    fail(name_, " is no archive that can be read (", reason,
         "), expected tar, tar.gz, tar.bz2, tar.xz, tar.zst or zip");
  }
  fail(Hint{"fetch or pack the archive again"}, name_, " is a damaged archive: ", reason);
}

archive_entry* ArchiveReader::next_entry() {
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(archive_.get(), &entry);
  // A warning is about what is not used here: owners, times, names that the locale does not know.
  check(status == ARCHIVE_WARN ? ARCHIVE_OK : status);
  if (status == ARCHIVE_EOF) return nullptr;
  block_end_ = 0;
  return entry;
}

std::span<const std::byte> ArchiveReader::next_block() {
  const void* block = nullptr;
  size_t size = 0;
  la_int64_t offset = 0;
  int status = ARCHIVE_OK;
  // Blocks may be empty before the end.
  while (size == 0 && status == ARCHIVE_OK) {
    status = archive_read_data_block(archive_.get(), &block, &size, &offset);
    check(status);  // here a warning is a wrong checksum or size
  }
  if (status == ARCHIVE_EOF) return {};
  if (offset != block_end_) {
    fail(Hint{"pack it without --sparse"}, name_, " holds a sparse file, which cannot be read");
  }
  block_end_ += static_cast<int64_t>(size);
  return {static_cast<const std::byte*>(block), size};
}

uint64_t ArchiveReader::position() const {
  return static_cast<uint64_t>(archive_filter_bytes(archive_.get(), 0));
}

la_ssize_t ArchiveReader::on_read(archive*, void* self, const void** block) {
  auto& reader = *static_cast<ArchiveReader*>(self);
  try {
    const auto bytes = reader.source_.next();
    *block = bytes.data();
    return static_cast<la_ssize_t>(bytes.size());
  } catch (...) {
    reader.source_error_ = std::current_exception();
    return ARCHIVE_FATAL;
  }
}

la_int64_t ArchiveReader::on_skip(archive*, void* self, la_int64_t count) {
  auto& reader = *static_cast<ArchiveReader*>(self);
  return count > 0 ? static_cast<la_int64_t>(reader.source_.skip(static_cast<uint64_t>(count))) : 0;
}

la_int64_t ArchiveReader::on_seek(archive*, void* self, la_int64_t offset, int whence) {
  auto& file = static_cast<FileSource&>(static_cast<ArchiveReader*>(self)->source_);
  la_int64_t start = 0;
  if (whence == SEEK_CUR) start = static_cast<la_int64_t>(file.position());
  if (whence == SEEK_END) start = static_cast<la_int64_t>(file.size());
  la_int64_t place = 0;
  if (__builtin_add_overflow(start, offset, &place) || place < 0) return ARCHIVE_FATAL;
  return static_cast<la_int64_t>(file.seek(static_cast<uint64_t>(place)));
}

}  // namespace projnce
