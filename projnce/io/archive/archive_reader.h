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

/// A stream of bytes, delivered in blocks.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Returns the next block, valid until the next call; empty at the end.
  virtual std::span<const std::byte> next() = 0;
  /// Skips up to `count` bytes and returns how many; 0 if the source can only be read.
  virtual uint64_t skip(uint64_t /*count*/) { return 0; }
};

/// The bytes of a file.
class FileSource : public ByteSource {
 public:
  /// REQUIRES: `file` outlives the source.
  FileSource(const RegularFile& file, size_t block_bytes) : file_(file), block_(block_bytes) {}

  std::span<const std::byte> next() override;
  uint64_t skip(uint64_t count) override;
  /// Moves to `position`, or to the end of the file if that is smaller.
  uint64_t seek(uint64_t position);
  uint64_t position() const { return position_; }
  uint64_t size() const { return file_.size; }

 private:
  const RegularFile& file_;
  std::vector<std::byte> block_;
  uint64_t position_ = 0;
};

/// Returns a source that decompresses a gzip, bzip2, xz or zstd file; null for other content. The
/// source throws if the data is corrupt or truncated, and if the decompressed size is so large that
/// the file looks like a decompression bomb. REQUIRES: `file` outlives the source.
std::unique_ptr<ByteSource> make_decompressing_source(const RegularFile& file);

/// Counts decompressed bytes and throws if they exceed the limit on the compression ratio.
class UnpackLimit {
 public:
  explicit UnpackLimit(const RegularFile& archive) : archive_(archive) {}
  void add(uint64_t bytes);

 private:
  const RegularFile& archive_;
  uint64_t total_ = 0;
};

/// Decompresses a gzip file, including concatenated members. Verifies gzip's checksums, which
/// libarchive does not.
class GzipSource : public ByteSource {
 public:
  /// REQUIRES: `file` outlives the source.
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
  uint64_t position_ = 0;  ///< file offset after the bytes in `packed_`
  z_stream stream_{};
  bool ended_ = false;
};

enum class ArchiveFormat {
  kTar,         ///< uncompressed
  kZip,         ///< requires a FileSource
  kPackedFile,  ///< one file compressed with bzip2, xz or zstd: an archive with one entry
};

/// Iterates over an archive with libarchive. Errors of libarchive are thrown as Errors that name
/// the archive.
class ArchiveReader {
 public:
  /// REQUIRES: `source` and `name` (used in messages) outlive the reader.
  ArchiveReader(ByteSource& source, ArchiveFormat format, const std::string& name);
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  /// Returns the next entry, valid until the next call; null at the end.
  archive_entry* next_entry();
  /// Returns the next block of the entry's content, valid until the next call; empty at its end.
  std::span<const std::byte> next_block();
  /// Current offset in the archive. After next_entry, the content of a tar entry starts here.
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
  std::exception_ptr source_error_;  ///< exceptions must not propagate through C code
  int64_t block_end_ = 0;            ///< offset within the entry's content
  std::unique_ptr<archive, Freer> archive_;
};

}  // namespace projnce::io
