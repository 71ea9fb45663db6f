#include "projnce/io/digest.h"

#include <gtest/gtest.h>

#include "tests/support/data_files.h"

namespace projnce::io {
namespace {

TEST(Base64, EncodesEveryLengthOfTheLastGroup) {
  const auto of = [](std::string_view text) { return base64(testing::octets_of(text)); };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Base64, EncodesHighBytes) {
  EXPECT_EQ(base64(testing::Bytes{0xFB, 0xEF, 0xFF}), "++//");
  EXPECT_EQ(base64(testing::Bytes{0x00, 0x00, 0x00, 0xFF}), "AAAA/w==");
}

}  // namespace
}  // namespace projnce::io
