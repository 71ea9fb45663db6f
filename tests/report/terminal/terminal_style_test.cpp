#include "projnce/report/terminal/terminal_summary.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <map>
#include <string>

#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::report {
namespace {

using Variables = std::map<std::string, std::string>;

EnvironmentLookup lookup(Variables variables) {
  return [variables = std::move(variables)](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

/// A pseudo terminal.
class TerminalStyleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    master_ = io::FileDescriptor(::posix_openpt(O_RDWR | O_NOCTTY));
    if (!master_.is_open() || ::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0) {
      GTEST_SKIP() << "this system has no pseudo terminals";
    }
    terminal_ = io::FileDescriptor(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY));
    ASSERT_TRUE(terminal_.is_open());
    set_width(120);
  }

  void set_width(unsigned short columns) {
    const winsize size = {.ws_row = 40, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal_.get(), TIOCSWINSZ, &size), 0);
  }

  TerminalStyle style(const Variables& variables) const {
    return terminal_style(terminal_.get(), lookup(variables));
  }

  io::FileDescriptor master_;
  io::FileDescriptor terminal_;
};

TEST_F(TerminalStyleTest, Utf8TerminalSupportsColorsAndUnicode) {
  const auto found = style({{"TERM", "xterm-256color"}, {"LANG", "de_DE.UTF-8"}});
  EXPECT_TRUE(found.colors);
  EXPECT_TRUE(found.unicode);
  EXPECT_EQ(found.width, 120);
}

TEST_F(TerminalStyleTest, FirstLocaleVariableThatIsSetWins) {
  EXPECT_TRUE(
      style({{"TERM", "xterm"}, {"LC_ALL", ""}, {"LC_CTYPE", "C.utf8"}, {"LANG", "C"}}).unicode);
  EXPECT_FALSE(style({{"TERM", "xterm"}, {"LC_ALL", "C"}, {"LANG", "en_GB.UTF-8"}}).unicode);
  EXPECT_FALSE(style({{"TERM", "xterm"}}).unicode);
}

TEST_F(TerminalStyleTest, DumbTerminalIsPlain) {
  for (const char* term : {"dumb", ""}) {
    const auto found = style({{"TERM", term}, {"LANG", "C.UTF-8"}});
    EXPECT_FALSE(found.colors);
    EXPECT_FALSE(found.unicode);
  }
}

TEST_F(TerminalStyleTest, NoColorDisablesColors) {
  const auto found = style({{"TERM", "xterm"}, {"LANG", "C.UTF-8"}, {"NO_COLOR", "1"}});
  EXPECT_FALSE(found.colors);
  EXPECT_TRUE(found.unicode);
  EXPECT_TRUE(style({{"TERM", "xterm"}, {"NO_COLOR", ""}}).colors);
}

TEST_F(TerminalStyleTest, UnknownWidthIsEighty) {
  set_width(0);
  EXPECT_EQ(style({{"TERM", "xterm"}}).width, 80);
}

TEST(TerminalStyle, FileIsPlain) {
  const io::FileDescriptor file(::open("/dev/null", O_WRONLY));
  const auto found = terminal_style(file.get(), lookup({{"TERM", "xterm"}, {"LANG", "C.UTF-8"}}));
  EXPECT_FALSE(found.colors);
  EXPECT_FALSE(found.unicode);
  EXPECT_EQ(found.width, 80);
}

}  // namespace
}  // namespace projnce::report
