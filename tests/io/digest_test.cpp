#include "projnce/io/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::HasSubstr;

class DigestTest : public ::testing::Test {
 protected:
  RegularFile file_of(const testing::Bytes& bytes) {
    testing::write_file(dir_.path() / "file", bytes);
    return open_regular_file(dir_.path() / "file");
  }

  testing::ScratchDir dir_;
};

TEST_F(DigestTest, MatchesPublishedValues) {
  // The test vectors of RFC 1321 and FIPS 180-2.
  const auto abc = file_of(testing::octets_of("abc"));
  EXPECT_EQ(file_digest(abc, DigestKind::kMd5), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(file_digest(abc, DigestKind::kSha256),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(file_digest(file_of({}), DigestKind::kMd5), "d41d8cd98f00b204e9800998ecf8427e");
}

TEST(Sha256, ReturnsTheDigestAsBytes) {
  const auto digest = sha256("abc");
  ASSERT_EQ(digest.size(), 32U);
  EXPECT_EQ(digest.front(), 0xBA);
  EXPECT_EQ(digest.back(), 0xAD);
  EXPECT_EQ(sha256("").front(), 0xE3);
}

TEST_F(DigestTest, ReadsFilesInBlocks) {
  // A million times 'a' (FIPS 180-2), and more than two blocks of it.
  EXPECT_EQ(file_digest(file_of(testing::Bytes(1'000'000, 'a')), DigestKind::kSha256),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");

  const auto file = file_of(testing::Bytes((size_t{5} << 19) + 1, 'a'));
  uint64_t reported = 0;
  int times = 0;
  file_digest(file, DigestKind::kMd5, [&](uint64_t bytes) {
    reported += bytes;
    ++times;
  });
  EXPECT_EQ(reported, file.size);
  EXPECT_EQ(times, 3);
}

TEST_F(DigestTest, IgnoresBytesAppendedWhileReading) {
  const auto file = file_of(testing::octets_of("abc"));
  testing::write_file(dir_.path() / "file", testing::octets_of("abcdef"));
  EXPECT_EQ(file_digest(file, DigestKind::kMd5), "900150983cd24fb0d6963f7d28e17f72");
}

TEST_F(DigestTest, RejectsFileTruncatedWhileReading) {
  const auto file = file_of(testing::octets_of("abcdef"));
  std::filesystem::resize_file(dir_.path() / "file", 2);
  EXPECT_THAT(testing::error_message_of([&] { file_digest(file, DigestKind::kMd5); }),
              HasSubstr("was truncated"));
}

}  // namespace
}  // namespace projnce::io
