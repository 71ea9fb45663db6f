#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

/// Bytes that come one block after another.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The next block, valid until the next call; an empty one at the end.
  virtual std::span<const std::byte> next() = 0;
  /// Leaves out up to `count` bytes and returns how many; 0 where reading them is the only way.
  virtual uint64_t skip(uint64_t /*count*/) { return 0; }
};

/// The bytes of a file as they are.
class FileSource : public ByteSource {
 public:
  /// REQUIRES: `file` lives as long as the source.
  FileSource(const RegularFile& file, size_t block_bytes) : file_(file), block_(block_bytes) {}

  std::span<const std::byte> next() override;
  uint64_t skip(uint64_t count) override;
  /// Goes on reading at `position`, or at the file's end if that is nearer.
  uint64_t seek(uint64_t position);
  uint64_t position() const { return position_; }
  uint64_t size() const { return file_.size; }

 private:
  const RegularFile& file_;
  std::vector<std::byte> block_;
  uint64_t position_ = 0;
};

/// What unpacks from a file packed with gzip, bzip2, xz or zstd; for other content nothing. The
/// source throws where the data is damaged or cut short, and where it unpacks to so much more than
/// the file's size that it can only be meant to do harm.
/// REQUIRES: `file` lives as long as the source.
std::unique_ptr<ByteSource> make_unpacking_source(const RegularFile& file);

/// Counts what comes out of an archive and throws where that is out of proportion.
class UnpackLimit {
 public:
  explicit UnpackLimit(const RegularFile& archive) : archive_(archive) {}
  void add(uint64_t bytes);

 private:
  const RegularFile& archive_;
  uint64_t total_ = 0;
};

/// What unpacks from a gzip file, several members in a row too. Checks the sums that gzip keeps,
/// which libarchive does not.
class GzipSource : public ByteSource {
 public:
  /// REQUIRES: `file` lives as long as the source.
  explicit GzipSource(const RegularFile& file);
  ~GzipSource() override;
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::span<const std::byte> next() override;

 private:
  void refill();
  void next_member();

  const RegularFile& file_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> unpacked_;
  uint64_t position_ = 0;  ///< in the file, behind what is in `packed_`
  z_stream stream_{};
  bool ended_ = false;
};

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

}  // namespace projnce::io
