#include "projnce/io/gzip_source.h"

#include <array>

#include "projnce/core/error.h"
#include "projnce/io/gzip_file.h"

namespace projnce {

namespace {

constexpr size_t kGzipPackedBlock = size_t{1} << 16;
constexpr size_t kGzipUnpackedBlock = size_t{1} << 18;
constexpr int kCheckedGzip = 16 + MAX_WBITS;  // zlib: expect a gzip header, check its CRC

}  // namespace

GzipSource::GzipSource(const RegularFile& file)
    : file_(file), packed_(kGzipPackedBlock), unpacked_(kGzipUnpackedBlock) {
  if (inflateInit2(&stream_, kCheckedGzip) != Z_OK) {
    fail_working("zlib has no memory for ", file.name);
  }
}

GzipSource::~GzipSource() {
  inflateEnd(&stream_);
}

void GzipSource::refill() {
  const size_t count = file_.read_at(position_, packed_);
  position_ += count;
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_in = static_cast<uInt>(count);
  if (count == 0) {
    fail(Hint{"fetch or pack the file again"}, file_.name, " is gzip data that is cut short");
  }
}

void GzipSource::next_member() {
  // What follows the last member without being one is padding, which gzip ignores too.
  position_ -= stream_.avail_in;
  stream_.avail_in = 0;
  std::array<std::byte, 2> mark = {};
  const size_t count = file_.read_at(position_, mark);
  ended_ = !is_gzip({reinterpret_cast<const uint8_t*>(mark.data()), count});
  if (!ended_) inflateReset(&stream_);
}

std::span<const std::byte> GzipSource::next() {
  stream_.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
  stream_.avail_out = static_cast<uInt>(unpacked_.size());
  while (!ended_ && stream_.avail_out > 0) {
    if (stream_.avail_in == 0) refill();
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      next_member();
    } else if (status != Z_OK) {
      fail(Hint{"fetch or pack the file again"}, file_.name, " is damaged gzip data: ",
           stream_.msg != nullptr ? stream_.msg : "zlib does not say why");
    }
  }
  return std::span(unpacked_).first(unpacked_.size() - stream_.avail_out);
}

}  // namespace projnce
