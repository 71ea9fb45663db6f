#include "projnce/io/byte_source.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "projnce/core/error.h"
#include "projnce/io/archive_reader.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/gzip_source.h"

namespace projnce {

namespace {

constexpr size_t kPackedBlock = size_t{1} << 16;

/// What libarchive's filters unpack, less what they would unpack for ever.
class FilterSource : public ByteSource {
 public:
  explicit FilterSource(const RegularFile& file)
      : packed_(file, kPackedBlock), reader_(packed_, ArchiveFormat::kPackedFile, file.name) {
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
  constexpr uint64_t kMostTimes = 200;
  constexpr uint64_t kAlwaysAllowed = uint64_t{64} << 20;
  total_ += bytes;
  if (total_ > kAlwaysAllowed && total_ / kMostTimes > archive_.size) {
    fail(Hint{"unpack it yourself if you trust it"}, archive_.name, " unpacks to more than ",
         kMostTimes, " times its size, as files do that are made to fill a disk");
  }
}

std::unique_ptr<ByteSource> make_unpacking_source(const RegularFile& file) {
  using namespace std::string_view_literals;
  constexpr std::array kFilterMarks = {"BZh"sv,
                                       "\xFD"
                                       "7zXZ\0"sv,
                                       "\x28\xB5\x2F\xFD"sv};
  std::array<std::byte, 6> start = {};
  const auto mark = as_text(std::span(start).first(file.read_at(0, start)));
  std::unique_ptr<ByteSource> source;
  if (mark.starts_with("\x1F\x8B"sv)) source = std::make_unique<GzipSource>(file);
  for (const auto known : kFilterMarks) {
    if (mark.starts_with(known)) source = std::make_unique<FilterSource>(file);
  }
  if (!source) return nullptr;
  return std::make_unique<LimitedSource>(file, std::move(source));
}

}  // namespace projnce
