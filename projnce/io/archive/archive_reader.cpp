#include "projnce/io/archive/archive_reader.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "projnce/core/error.h"
#include "projnce/io/archive/gzip_file.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

constexpr size_t kCompressedBlock = size_t{1} << 16;

/// Decompresses with libarchive's filters. REQUIRES: wrapped in a LimitedSource.
class FilterSource : public ByteSource {
 public:
  explicit FilterSource(const RegularFile& file)
      : packed_(file, kCompressedBlock), reader_(packed_, ArchiveFormat::kPackedFile, file.name) {
    ended_ = reader_.next_entry() == nullptr;
  }

  std::span<const std::byte> next() override {
    if (ended_) return {};
    const auto block = reader_.next_block();
    ended_ = block.empty();
    return block;
  }

 private:
  FileSource packed_;
  ArchiveReader reader_;
  bool ended_ = false;
};

class LimitedSource : public ByteSource {
 public:
  LimitedSource(const RegularFile& file, std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), limit_(file) {}

  std::span<const std::byte> next() override {
    const auto block = source_->next();
    limit_.add(block.size());
    return block;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  UnpackLimit limit_;
};

}  // namespace

std::span<const std::byte> FileSource::next() {
  const size_t count = file_.read_at(position_, block_);
  position_ += count;
  return std::span(block_).first(count);
}

uint64_t FileSource::skip(uint64_t count) {
  const uint64_t before = position_;
  const uint64_t rest = position_ < file_.size ? file_.size - position_ : 0;
  position_ += std::min(count, rest);
  return position_ - before;
}

uint64_t FileSource::seek(uint64_t position) {
  return position_ = std::min(position, file_.size);
}

void UnpackLimit::add(uint64_t bytes) {
  constexpr uint64_t kMaxRatio = 200;
  constexpr uint64_t kAlwaysAllowed = uint64_t{64} << 20;
  total_ += bytes;
  if (total_ > kAlwaysAllowed && total_ / kMaxRatio > archive_.size) {
    fail(Hint{"extract it yourself if you trust it"}, archive_.name, " decompresses to more than ",
         kMaxRatio, " times its size and looks like a decompression bomb");
  }
}

std::unique_ptr<ByteSource> make_decompressing_source(const RegularFile& file) {
  using namespace std::string_view_literals;
  constexpr std::array kFilterMagics = {"BZh"sv,
                                        "\xFD"
                                        "7zXZ\0"sv,
                                        "\x28\xB5\x2F\xFD"sv};
  std::array<std::byte, 6> start = {};
  const auto magic = as_text(std::span(start).first(file.read_at(0, start)));
  std::unique_ptr<ByteSource> source;
  if (magic.starts_with("\x1F\x8B"sv)) source = std::make_unique<GzipSource>(file);
  for (const auto filter_magic : kFilterMagics) {
    if (magic.starts_with(filter_magic)) source = std::make_unique<FilterSource>(file);
  }
  if (!source) return nullptr;
  return std::make_unique<LimitedSource>(file, std::move(source));
}

namespace {

constexpr size_t kGzipCompressedBlock = size_t{1} << 16;
constexpr size_t kGzipDecompressedBlock = size_t{1} << 18;
constexpr int kGzipStreamWindowBits = 16 + MAX_WBITS;  // zlib: expect a gzip header, check its CRC

}  // namespace

GzipSource::GzipSource(const RegularFile& file)
    : file_(file), packed_(kGzipCompressedBlock), unpacked_(kGzipDecompressedBlock) {
  if (inflateInit2(&stream_, kGzipStreamWindowBits) != Z_OK) {
    fail_runtime("zlib: out of memory for ", file.name);
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
    fail(Hint{"download or compress the file again"}, file_.name, " is truncated gzip data");
  }
}

void GzipSource::next_member() {
  // Data after the last member is padding; gzip ignores it, too.
  position_ -= stream_.avail_in;
  stream_.avail_in = 0;
  std::array<std::byte, 2> magic = {};
  const size_t count = file_.read_at(position_, magic);
  ended_ = !is_gzip({reinterpret_cast<const uint8_t*>(magic.data()), count});
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
      fail(Hint{"download or compress the file again"}, file_.name,
           " is corrupt gzip data: ", stream_.msg != nullptr ? stream_.msg : "unknown zlib error");
    }
  }
  return std::span(unpacked_).first(unpacked_.size() - stream_.avail_out);
}

ArchiveReader::ArchiveReader(ByteSource& source, ArchiveFormat format, const std::string& name)
    : source_(source), name_(name), archive_(archive_read_new()) {
  if (!archive_) fail_runtime("libarchive: out of memory for ", name);
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
      // Reads the central directory at the end of the file, so a truncated zip is rejected.
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
  const char* message = archive_error_string(archive_.get());
  const auto reason = message != nullptr ? printable(message) : "unknown libarchive error";
  if (archive_format(archive_.get()) == 0) {
    fail(name_, " is not a readable archive (", reason,
         "), expected tar, tar.gz, tar.bz2, tar.xz, tar.zst or zip");
  }
  fail(Hint{"download or create the archive again"}, name_, " is a corrupt archive: ", reason);
}

archive_entry* ArchiveReader::next_entry() {
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(archive_.get(), &entry);
  // Warnings concern unused metadata: owners, times, names outside the locale's character set.
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
    check(status);  // warnings are errors here: a wrong checksum or size
  }
  if (status == ARCHIVE_EOF) return {};
  if (offset != block_end_) {
    fail(Hint{"create it without --sparse"}, name_,
         " contains a sparse file, which is not supported");
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
  la_int64_t target = 0;
  if (__builtin_add_overflow(start, offset, &target) || target < 0) return ARCHIVE_FATAL;
  return static_cast<la_int64_t>(file.seek(static_cast<uint64_t>(target)));
}

}  // namespace projnce::io
