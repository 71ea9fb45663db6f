#include "projnce/io/archive/gzip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using testing::error_message_of;
using ::testing::HasSubstr;

constexpr size_t kLimit = 1 << 20;

Bytes sample() {
  Bytes bytes(100'000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i >> 7);
  return bytes;
}

TEST(GzipFile, ReadsPlainAndCompressedFiles) {
  const testing::ScratchDir dir;
  testing::write_file(dir.path() / "plain.gz", sample());
  testing::write_file(dir.path() / "packed", testing::gzip(sample()));
  EXPECT_EQ(read_plain_or_gzip(dir.path() / "plain.gz", kLimit), sample());
  EXPECT_EQ(read_plain_or_gzip(dir.path() / "packed", kLimit), sample());
}

TEST(GzipFile, DecompressesEmptyData) {
  EXPECT_TRUE(gunzip(testing::gzip({}), kLimit, "x").empty());
}

TEST(GzipFile, DecompressesConcatenatedMembersAndIgnoresPadding) {
  auto packed = testing::gzip({1, 2});
  const auto second = testing::gzip({3});
  packed.insert(packed.end(), second.begin(), second.end());
  packed.resize(packed.size() + 512);
  EXPECT_EQ(gunzip(packed, kLimit, "x"), (Bytes{1, 2, 3}));
}

TEST(GzipFile, LimitIsExact) {
  const auto packed = testing::gzip(sample());
  EXPECT_EQ(gunzip(packed, 100'000, "x"), sample());
  EXPECT_THAT(error_message_of([&] { gunzip(packed, 99'999, "bomb.gz"); }),
              AllOf(HasSubstr("bomb.gz decompresses to more than 99999 bytes")));
}

TEST(GzipFile, RejectsEveryTruncation) {
  const auto packed = testing::gzip({5, 6, 7, 8, 9});
  for (size_t size = 2; size < packed.size(); ++size) {
    EXPECT_THAT(error_message_of([&] { gunzip(std::span(packed).first(size), kLimit, "a.gz"); }),
                HasSubstr("a.gz is truncated gzip data"))
        << size;
  }
}

TEST(GzipFile, RejectsWrongChecksum) {
  auto packed = testing::gzip(sample());
  packed[packed.size() - 5] ^= 1;
  EXPECT_THAT(error_message_of([&] { gunzip(packed, kLimit, "a.gz"); }),
              HasSubstr("a.gz is corrupt gzip data"));
}

}  // namespace
}  // namespace projnce::io
