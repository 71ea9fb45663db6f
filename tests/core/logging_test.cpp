#include "projnce/core/logging.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/scratch_dir.h"

namespace projnce {
namespace {

TEST(Logging, FileContainsMessagesFromBeforeAndAfterItWasOpened) {
  const testing::ScratchDir dir;
  const auto logger = make_logger();
  logger->warn("before");
  log_to_file(logger, dir.path() / "log.txt");
  logger->info("after");
  logger->flush();
  std::ifstream file(dir.path() / "log.txt");
  std::stringstream text;
  text << file.rdbuf();
  const auto before = text.str().find("warning before\n");
  const auto after = text.str().find("info after\n");
  ASSERT_NE(before, std::string::npos) << text.str();
  ASSERT_NE(after, std::string::npos) << text.str();
  EXPECT_LT(before, after);
}

}  // namespace
}  // namespace projnce
