#include "projnce/io/archive/gzip_file.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

constexpr int kGzipWindowBits = 16 + MAX_WBITS;  // zlib: expect a gzip header, check its CRC

class Inflater {
 public:
  Inflater(std::span<const uint8_t> packed, const std::string& name) : name_(name) {
    constexpr size_t kMaxBytes = std::numeric_limits<uInt>::max();
    if (packed.size() > kMaxBytes)
      fail(name, " has ", packed.size(), " bytes, expected at most ", kMaxBytes);
    stream_.next_in = const_cast<Bytef*>(packed.data());  // zlib does not write there
    stream_.avail_in = static_cast<uInt>(packed.size());
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK)
      fail_runtime("zlib: out of memory for ", name);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Decompresses into `buffer` and returns the number of bytes written; less than its size at the
  /// end of the data.
  size_t read(std::span<uint8_t> buffer) {
    size_t filled = 0;
    while (filled < buffer.size() && !ended_) {
      const auto part = std::min<size_t>(buffer.size() - filled, std::numeric_limits<uInt>::max());
      stream_.next_out = buffer.data() + filled;
      stream_.avail_out = static_cast<uInt>(part);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      filled += part - stream_.avail_out;
      if (status == Z_STREAM_END) {
        next_member();
      } else if (status == Z_BUF_ERROR || (status == Z_OK && stream_.avail_out > 0)) {
        fail(Hint{"download or compress the file again"}, name_, " is truncated gzip data");
      } else if (status != Z_OK) {
        fail(Hint{"download or compress the file again"}, name_, " is corrupt gzip data: ",
             stream_.msg != nullptr ? stream_.msg : "unknown zlib error");
      }
    }
    return filled;
  }

 private:
  void next_member() {
    // Data after the last member is padding; gzip ignores it, too.
    ended_ = !is_gzip({stream_.next_in, stream_.avail_in});
    if (!ended_) inflateReset(&stream_);
  }

  const std::string& name_;
  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace

bool is_gzip(std::span<const uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

std::vector<uint8_t> gunzip(std::span<const uint8_t> packed, size_t limit,
                            const std::string& name) {
  Inflater inflater(packed, name);
  // One extra byte distinguishes "too large" from "fits exactly".
  std::vector<uint8_t> bytes(std::min(limit + 1, 4 * packed.size() + 64));
  size_t filled = 0;
  while ((filled += inflater.read(std::span(bytes).subspan(filled))) == bytes.size()) {
    if (filled > limit)
      fail(name, " decompresses to more than ", limit, " bytes, the supported maximum");
    bytes.resize(std::min(limit + 1, 2 * bytes.size()));
  }
  bytes.resize(filled);
  return bytes;
}

std::vector<uint8_t> read_plain_or_gzip(const std::filesystem::path& path, size_t limit) {
  const auto file = read_regular_file(path, limit);
  const auto bytes = file.octets();
  if (is_gzip(bytes)) return gunzip(bytes, limit, printable(path.native()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace projnce::io
