#include "projnce/dataset/checksums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>

#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Two datasets that share a file name, one file in a folder, one of unknown size.
constexpr std::array kKnown = {
    OfficialFile{"letters", "abc.bin", "unpacked", 3, io::DigestKind::kMd5,
                 "900150983cd24fb0d6963f7d28e17f72"},
    OfficialFile{"alphabet", "abc.bin", "", 26, io::DigestKind::kMd5,
                 "c3fcd3d76192e4007dfb496cca67e13b"},
    OfficialFile{"sizeless", "some.tar", "", 0, io::DigestKind::kSha256,
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
};

class ChecksumsTest : public ::testing::Test {
 protected:
  void write(const std::string& file, std::string_view text) {
    testing::write_file(dir_.path() / file, testing::octets_of(text));
  }

  std::vector<ChecksumVerdict> check(const std::string& what) {
    return check_official_files(dir_.path() / what, {}, kKnown);
  }

  ChecksumVerdict check_one(const std::string& what) {
    const auto verdicts = check(what);
    EXPECT_EQ(verdicts.size(), 1U);
    return verdicts.empty() ? ChecksumVerdict{} : verdicts[0];
  }

  testing::ScratchDir dir_;
};

TEST_F(ChecksumsTest, OfficialFileMatches) {
  write("abc.bin", "abc");
  const auto verdict = check_one("abc.bin");
  EXPECT_EQ(verdict.match, OfficialMatch::kMatches);
  EXPECT_THAT(verdict.sentence,
              AllOf(HasSubstr("abc.bin"), HasSubstr("letters"), HasSubstr("MD5")));
}

TEST_F(ChecksumsTest, SharedNamesAreDistinguishedBySize) {
  write("abc.bin", "abcdefghijklmnopqrstuvwxyz");
  const auto verdict = check_one("abc.bin");
  EXPECT_EQ(verdict.match, OfficialMatch::kMatches);
  EXPECT_THAT(verdict.sentence, HasSubstr("alphabet"));
}

TEST_F(ChecksumsTest, OfficialSizeWithOtherContentIsCorrupt) {
  write("abc.bin", "abd");
  const auto verdict = check_one("abc.bin");
  EXPECT_EQ(verdict.match, OfficialMatch::kCorrupt);
  EXPECT_THAT(verdict.sentence, AllOf(HasSubstr("abc.bin"), HasSubstr("letters")));
}

TEST_F(ChecksumsTest, OtherSizeDiffersAndIsNotRead) {
  write("abc.bin", "ab");
  EXPECT_EQ(official_bytes(dir_.path() / "abc.bin", kKnown), 0U);
  const auto verdict = check_one("abc.bin");
  EXPECT_EQ(verdict.match, OfficialMatch::kDiffers);
  EXPECT_THAT(verdict.sentence,
              AllOf(HasSubstr("2 bytes"), HasSubstr("3 or 26"), HasSubstr("subset")));
}

TEST_F(ChecksumsTest, WithoutOfficialSizeOtherContentDiffers) {
  write("some.tar", "abd");
  EXPECT_EQ(check_one("some.tar").match, OfficialMatch::kDiffers);
  write("some.tar", "abc");
  EXPECT_EQ(check_one("some.tar").match, OfficialMatch::kMatches);
}

TEST_F(ChecksumsTest, ReportsUnknownArchives) {
  write("other.tar", "abc");
  const auto verdict = check_one("other.tar");
  EXPECT_EQ(verdict.match, OfficialMatch::kUnknown);
  EXPECT_THAT(verdict.sentence, HasSubstr("other.tar"));

  write("photo.jpg", "abc");
  EXPECT_TRUE(check("photo.jpg").empty()) << "single images have no digests";
}

TEST_F(ChecksumsTest, ChecksTheFilesInAFolder) {
  write("data/some.tar", "abc");
  write("data/unpacked/abc.bin", "abd");
  write("data/elsewhere/abc.bin", "abc");
  const auto verdicts = check("data");
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_THAT(verdicts[0].file, HasSubstr("data/unpacked/abc.bin"));
  EXPECT_EQ(verdicts[0].match, OfficialMatch::kCorrupt);
  EXPECT_EQ(verdicts[1].match, OfficialMatch::kMatches);
  EXPECT_EQ(official_bytes(dir_.path() / "data", kKnown), 6U);
}

TEST_F(ChecksumsTest, IgnoresFoldersWithoutOfficialFiles) {
  write("data/photo.jpg", "abc");
  EXPECT_TRUE(check("data").empty());
  EXPECT_TRUE(check("nowhere").empty());
}

TEST_F(ChecksumsTest, PipeWithAnOfficialNameIsCorruptAndDoesNotBlock) {
  ASSERT_EQ(::mkfifo((dir_ / "abc.bin").c_str(), 0600), 0);
  const auto verdict = check_one("abc.bin");
  EXPECT_EQ(verdict.match, OfficialMatch::kCorrupt);
  EXPECT_THAT(verdict.sentence, HasSubstr("named pipe"));
}

TEST(OfficialFiles, DigestsHaveTheCorrectLength) {
  for (const auto& file : official_files()) {
    const std::string digest = file.digest;
    EXPECT_EQ(digest.size(), file.kind == io::DigestKind::kMd5 ? 32U : 64U) << file.name;
    EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), std::string::npos) << file.name;
  }
}

}  // namespace
}  // namespace projnce::dataset
