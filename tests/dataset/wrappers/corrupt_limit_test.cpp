#include "projnce/dataset/wrappers/checked_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CorruptLimit, DefaultsToTheLargerOfOnePercentAndFive) {
  EXPECT_EQ(CorruptLimit{}.of(10), 5);
  EXPECT_EQ(CorruptLimit{}.of(599), 5);
  EXPECT_EQ(CorruptLimit{}.of(600), 6);
  EXPECT_EQ(CorruptLimit{}.of(100'000), 1000);
}

TEST(CorruptLimit, RoundTrips) {
  for (const std::string text : {"auto", "0", "5", "1%", "0.5%", "100%"}) {
    EXPECT_EQ(parse_corrupt_limit(text, "x").text(), text);
  }
  EXPECT_EQ(parse_corrupt_limit("7", "x").of(1000), 7);
  EXPECT_EQ(parse_corrupt_limit("2.5%", "x").of(1000), 25);
  EXPECT_EQ(parse_corrupt_limit("0%", "x").of(1000), 0);
}

TEST(CorruptLimit, RejectsInvalidText) {
  for (const std::string text : {"", "-1", "0.01", "five", "1 %", "101%", "-1%", "%", "nan%"}) {
    EXPECT_THAT(testing::error_message_of([&] { parse_corrupt_limit(text, "--max-corrupt"); }),
                AllOf(HasSubstr("--max-corrupt = '" + text + "'"), HasSubstr("such as 1%")))
        << text;
  }
}

}  // namespace
}  // namespace projnce::dataset
