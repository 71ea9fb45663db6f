#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "projnce/io/regular_file.h"

namespace projnce {

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

}  // namespace projnce
