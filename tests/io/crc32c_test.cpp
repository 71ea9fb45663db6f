#include "projnce/io/digest.h"

#include <gtest/gtest.h>

#include <string>

namespace projnce::io {
namespace {

/// RFC 3720, appendix B.4, and the check value of CRC catalogs.
TEST(Crc32c, MatchesPublishedValues) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
}

}  // namespace
}  // namespace projnce::io
