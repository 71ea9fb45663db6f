#include "projnce/io/filesystem/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "projnce/core/error.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using testing::error_message_of;
using ::testing::HasSubstr;

TEST(FileLock, RejectsASecondWriterAndNamesTheFirst) {
  const testing::ScratchDir scratch;
  const auto path = scratch / "lock";
  const FileLock first(path);
  const auto said = error_message_of([&] { FileLock{path}; });
  EXPECT_THAT(said, HasSubstr("is being written by process " + std::to_string(::getpid())));
}

TEST(FileLock, IsReleasedOnDestruction) {
  const testing::ScratchDir scratch;
  const auto path = scratch / "lock";
  { const FileLock first(path); }
  EXPECT_NO_THROW(FileLock{path});
}

TEST(FileLock, IsReleasedWhenTheOwnerIsKilled) {
  const testing::ScratchDir scratch;
  const auto path = scratch / "lock";
  std::array<int, 2> locked = {};
  ASSERT_EQ(::pipe(locked.data()), 0);
  const pid_t child = testing::start_child([&] {
    const FileLock lock(path);
    [[maybe_unused]] const auto told = ::write(locked[1], "x", 1);
    return ::pause();
  });
  char ready = 0;
  ASSERT_EQ(::read(locked[0], &ready, 1), 1);
  EXPECT_THAT(error_message_of([&] { FileLock{path}; }),
              HasSubstr("process " + std::to_string(child) + " on "));
  ::kill(child, SIGKILL);
  testing::wait_for(child);
  EXPECT_NO_THROW(FileLock{path});
}

TEST(FileLock, DoesNotFollowSymbolicLinks) {
  const testing::ScratchDir scratch;
  std::filesystem::create_symlink(scratch / "elsewhere", scratch / "lock");
  EXPECT_THROW(FileLock{scratch / "lock"}, Error);
  EXPECT_FALSE(std::filesystem::exists(scratch / "elsewhere"));
}

TEST(IsLockOwnerAlive, DoesNotTakeTheLock) {
  const testing::ScratchDir scratch;
  const auto path = scratch / "lock";
  EXPECT_EQ(is_lock_owner_alive(path), std::nullopt);
  const FileLock mine(path);
  EXPECT_EQ(is_lock_owner_alive(path), true);
  const pid_t child = testing::start_child([&] {
    const FileLock lock(scratch / "child");
    return 0;
  });
  testing::wait_for(child);
  EXPECT_EQ(is_lock_owner_alive(scratch / "child"), false);
}

TEST(IsLockOwnerAlive, IsUnknownForOtherHostsAndInvalidContent) {
  const testing::ScratchDir scratch;
  for (const char* text : {"process 1 on another-host\n", "process -1 on x\n", "nonsense", ""}) {
    std::ofstream(scratch / "lock") << text;
    EXPECT_EQ(is_lock_owner_alive(scratch / "lock"), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace projnce::io
