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

TEST_F(RegularFileTest, ReportsMissingFilesAndLinkLoops) {
  EXPECT_THAT(error_about(dir_.path() / "none"),
              AllOf(HasSubstr("/none cannot be read"), HasSubstr("No such file")));
  std::filesystem::create_symlink("loop", dir_.path() / "loop");
  EXPECT_THAT(error_about(dir_.path() / "loop"), HasSubstr("symbolic links"));
}

}  // namespace
}  // namespace projnce::io
