#include "projnce/io/filesystem/regular_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;

class RegularFileTest : public ::testing::Test {
 protected:
  std::string error_about(const std::filesystem::path& path) {
    return error_message_of([&] { read_regular_file(path, 100); });
  }

  testing::ScratchDir dir_;
};

TEST_F(RegularFileTest, ReadsTheWholeFile) {
  testing::write_file(dir_.path() / "a", {1, 0, 255});
  EXPECT_THAT(read_regular_file(dir_.path() / "a", 3).octets(), ElementsAre(1, 0, 255));
  testing::write_file(dir_.path() / "empty", {});
  EXPECT_TRUE(read_regular_file(dir_.path() / "empty", 0).octets().empty());
}

TEST_F(RegularFileTest, FollowsSymbolicLinks) {
  testing::write_file(dir_.path() / "a", {7});
  std::filesystem::create_symlink("a", dir_.path() / "link");
  EXPECT_THAT(read_regular_file(dir_.path() / "link", 3).octets(), ElementsAre(7));
}

TEST_F(RegularFileTest, RejectsFilesAboveTheLimit) {
  testing::write_file(dir_.path() / "a", testing::Bytes(101));
  EXPECT_THAT(error_about(dir_.path() / "a"),
              AllOf(HasSubstr("/a has 101 bytes"), HasSubstr("at most 100")));
}

TEST_F(RegularFileTest, RejectsSpecialFilesWithoutBlocking) {
  ASSERT_EQ(::mkfifo((dir_.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_about(dir_.path() / "pipe"), HasSubstr("/pipe is a named pipe"));
  EXPECT_THAT(error_about(dir_.path()), HasSubstr("is a folder, expected a regular file"));
  EXPECT_THAT(error_about("/dev/zero"), HasSubstr("/dev/zero is a device"));
}

TEST_F(RegularFileTest, ReadsTextAndItsEnd) {
  testing::write_file(dir_.path() / "a", testing::octets_of("one two"));
  EXPECT_EQ(read_optional_text(dir_.path() / "a", 7), "one two");
  EXPECT_EQ(read_optional_text(dir_.path() / "none", 7), "");
  EXPECT_EQ(read_file_end(dir_.path() / "a", 3), "two");
  EXPECT_EQ(read_file_end(dir_.path() / "a", 100), "one two");
}

TEST_F(RegularFileTest, ConfigurationsAreRegularFilesOfBoundedSize) {
  const auto path = dir_.path() / "config.toml";
  const auto message = [&] { return error_message_of([&] { read_toml(path); }); };
  EXPECT_THAT(message(), HasSubstr("config.toml cannot be read"));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(message(), HasSubstr("config.toml is a named pipe"));
  std::filesystem::remove(path);
  testing::write_file(path, testing::octets_of("a = 1\nb = ="));
  EXPECT_THAT(message(), HasSubstr("config.toml:2"));
  testing::write_file(path, testing::Bytes((size_t{1} << 20) + 1, '\n'));
  EXPECT_THAT(message(), HasSubstr("expected at most 1048576"));
}

TEST_F(RegularFileTest, ReportsMissingFilesAndLinkLoops) {
  EXPECT_THAT(error_about(dir_.path() / "none"),
              AllOf(HasSubstr("/none cannot be read"), HasSubstr("No such file")));
  std::filesystem::create_symlink("loop", dir_.path() / "loop");
  EXPECT_THAT(error_about(dir_.path() / "loop"), HasSubstr("symbolic links"));
}

}  // namespace
}  // namespace projnce::io
