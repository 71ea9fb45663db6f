#pragma once

#include <zlib.h>

#include "projnce/io/byte_source.h"

namespace projnce {

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

}  // namespace projnce
