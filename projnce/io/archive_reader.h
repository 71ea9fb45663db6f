#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <exception>
#include <memory>
#include <string>

#include "projnce/io/byte_source.h"

namespace projnce {

enum class ArchiveFormat {
  kTar,         ///< unpacked already
  kZip,         ///< its source must be a FileSource
  kPackedFile,  ///< one file packed with bzip2, xz or zstd: an archive of a single entry
};

/// Steps through an archive with libarchive. Everything that libarchive finds wrong is thrown as an
/// error that names the archive.
class ArchiveReader {
 public:
  /// REQUIRES: `source` and `name`, which is for messages, live as long as the reader.
  ArchiveReader(ByteSource& source, ArchiveFormat format, const std::string& name);
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  /// The next entry, valid until the next call; null at the end.
  archive_entry* next_entry();
  /// The next bytes of the entry's content, valid until the next call; none at its end.
  std::span<const std::byte> next_block();
  /// How far the archive has been read: after next_entry, where the content of a tar's entry is.
  uint64_t position() const;

 private:
  struct Freer {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };

  static la_ssize_t on_read(archive*, void* self, const void** block);
  static la_int64_t on_skip(archive*, void* self, la_int64_t count);
  static la_int64_t on_seek(archive*, void* self, la_int64_t offset, int whence);
  void support(ArchiveFormat format);
  void check(int status);

  ByteSource& source_;
  const std::string& name_;
  std::exception_ptr source_error_;  ///< may not pass through libarchive, which is C
  int64_t block_end_ = 0;            ///< in the content of the entry
  std::unique_ptr<archive, Freer> archive_;
};

}  // namespace projnce
