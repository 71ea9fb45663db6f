#include "projnce/io/filesystem/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "projnce/io/filesystem/regular_file.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::contents;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::names_in;
using testing::ScratchDir;
using testing::start_child;
using testing::wait_for;

void make_file(const fs::path& path) {
  std::ofstream(path) << "left over";
}

TEST(AtomicFile, AppearsOnlyOnCommit) {
  const ScratchDir dir;
  const auto path = dir / "a.txt";
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(std::string_view("one "))));
  file.write(std::as_bytes(std::span(std::string_view("two"))));
  EXPECT_FALSE(fs::exists(path));
  file.commit();
  EXPECT_EQ(contents(path), "one two");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("a.txt"));
}

TEST(AtomicFile, KeepsTheOldFileAndRemovesTheTemporaryWithoutCommit) {
  const ScratchDir dir;
  write_file_atomically(dir / "a.txt", "old");
  {
    AtomicFile file(dir / "a.txt");
    file.write(std::as_bytes(std::span(std::string_view("new"))));
  }
  EXPECT_EQ(contents(dir / "a.txt"), "old");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("a.txt"));
}

TEST(AtomicFile, TruncatesUnusedReservation) {
  const ScratchDir dir;
  AtomicFile file(dir / "a.txt");
  file.reserve(1 << 20);
  file.write(std::as_bytes(std::span(std::string_view("short"))));
  file.commit();
  EXPECT_EQ(contents(dir / "a.txt"), "short");
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const ScratchDir dir;
  write_file_atomically(dir / "real.txt", "old");
  fs::create_symlink("real.txt", dir / "link.txt");
  write_file_atomically(dir / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link.txt"));
  EXPECT_EQ(contents(dir / "real.txt"), "new");
}

TEST(AtomicFile, RejectsTargetsThatAreNotRegularFiles) {
  const ScratchDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  for (const auto& path : {dir / "pipe", dir.path(), fs::path("/dev/null")}) {
    EXPECT_THAT(error_message_of([&] { write_file_atomically(path, "text"); }),
                AllOf(HasSubstr(path.string()), HasSubstr("not a regular file")));
  }
}

TEST(AtomicFile, ReportsPathAndReasonIfItCannotWrite) {
  const ScratchDir dir;
  EXPECT_THAT(error_message_of([&] { write_file_atomically(dir / "none/a.txt", "text"); }),
              AllOf(HasSubstr("none/a.txt"), HasSubstr("No such file or directory")));
  try {
    write_file_atomically(dir / "none/a.txt", "text");
    FAIL() << "a missing directory went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
  }
}

TEST(AtomicFile, RejectsASecondWriterOfTheSameTarget) {
  const ScratchDir dir;
  AtomicFile first(dir / "a.txt");
  EXPECT_THAT(error_message_of([&] { AtomicFile second(dir / "a.txt"); }),
              HasSubstr("File exists"));
  first.commit();
  EXPECT_THAT(names_in(dir.path()), ElementsAre("a.txt"));
}

TEST(AtomicFile, ReplacesStaleTemporaryWithTheSameProcessId) {
  const ScratchDir dir;
  make_file(dir / concat(".a.txt.tmp.", ::getpid()));
  write_file_atomically(dir / "a.txt", "new");
  EXPECT_EQ(contents(dir / "a.txt"), "new");
}

TEST(AtomicFile, RemovesOldTemporariesWithTheSameProcessId) {
  const ScratchDir dir;
  const auto left = dir / concat(".a.txt.tmp.", ::getpid());
  const auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  make_file(left);
  EXPECT_TRUE(remove_stale_temporaries(dir.path()).empty());
  fs::last_write_time(left, an_hour_ago);
  EXPECT_THAT(remove_stale_temporaries(dir.path()), ElementsAre(left));
  AtomicFile living(dir / "a.txt");
  fs::last_write_time(left, an_hour_ago);
  EXPECT_TRUE(remove_stale_temporaries(dir.path()).empty());
}

TEST(AtomicFile, RemovesOnlyTemporariesOfDeadProcesses) {
  const ScratchDir dir;
  const pid_t dead = start_child([] { return 0; });
  wait_for(dead);
  const auto stale = dir / concat(".a.txt.tmp.", dead);
  make_file(stale);
  make_file(dir / concat(".b.txt.tmp.", ::getppid()));
  for (const auto* name : {"a.txt", ".hidden", ".tmp.5", "c.tmp.5", ".d.tmp.", ".e.tmp.5x"}) {
    make_file(dir / name);
  }
  AtomicFile own(dir / "c.txt");
  EXPECT_THAT(remove_stale_temporaries(dir.path()), ElementsAre(stale));
  EXPECT_EQ(names_in(dir.path()).size(), 8u);
  EXPECT_TRUE(remove_stale_temporaries(dir / "none").empty());
}

/// Runs `write` in a child with a file size limit of 64 KiB; returns its error message.
template <class Write>
std::string error_on_full_disk(const ScratchDir& dir, Write&& write) {
  const pid_t child = start_child([&] {
    testing::limit_file_size(65536);
    const auto sentence = error_message_of(write);
    std::ofstream(dir / "sentence") << sentence;
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  return contents(dir / "sentence");
}

TEST(AtomicFile, KeepsTheOldFileIfTheDiskIsFull) {
  const ScratchDir dir;
  const auto path = dir / "a.txt";
  write_file_atomically(path, "old");
  const std::string large(1 << 17, 'x');
  const auto reserved = error_on_full_disk(dir, [&] { write_file_atomically(path, large); });
  EXPECT_THAT(reserved, AllOf(HasSubstr("cannot reserve 131072 bytes"), HasSubstr("a.txt"),
                              HasSubstr("File too large")));
  const auto written = error_on_full_disk(dir, [&] {
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(large)));
    file.commit();
  });
  EXPECT_THAT(written, AllOf(HasSubstr("cannot write"), HasSubstr("File too large")));
  EXPECT_EQ(contents(path), "old");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("a.txt", "sentence"));
}

TEST(AtomicFile, IsOldOrNewAfterAKillAtAnyTime) {
  const ScratchDir dir;
  const auto path = dir / "a.txt";
  const auto version = [](char letter) { return std::string(200000 + letter * 100, letter); };
  write_file_atomically(path, version('a'));
  std::mt19937 random(7);
  int left_temporary = 0;
  for (int kill_number = 0; kill_number < 40; ++kill_number) {
    const pid_t child = start_child([&]() -> int {
      for (char letter = 'a';; letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
        write_file_atomically(path, version(letter));
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    wait_for(child);
    const auto text = contents(path);
    ASSERT_EQ(text, version(text.front())) << "after kill " << kill_number;
    left_temporary += remove_stale_temporaries(dir.path()).empty() ? 0 : 1;
    ASSERT_THAT(names_in(dir.path()), ElementsAre("a.txt"));
  }
  EXPECT_GT(left_temporary, 0) << "no kill happened during a write";
}

}  // namespace
}  // namespace projnce::io
