#include "projnce/io/protobuf.h"

#include <gtest/gtest.h>

#include <limits>

namespace projnce::io {
namespace {

using namespace std::string_literals;

TEST(ProtoMessage, EncodesIntegersAsVarints) {
  EXPECT_EQ(ProtoMessage().whole(1, 0).bytes(), "\x08\x00"s);
  EXPECT_EQ(ProtoMessage().whole(1, 127).bytes(), "\x08\x7F"s);
  EXPECT_EQ(ProtoMessage().whole(1, 128).bytes(), "\x08\x80\x01"s);
  EXPECT_EQ(ProtoMessage().whole(1, 300).bytes(), "\x08\xAC\x02"s);
  EXPECT_EQ(ProtoMessage().whole(2, -1).bytes(), "\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s);
  EXPECT_EQ(ProtoMessage().whole(1, std::numeric_limits<int64_t>::max()).bytes(),
            "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"s);
}

TEST(ProtoMessage, FieldNumbersAboveFifteenHaveLongerKeys) {
  EXPECT_EQ(ProtoMessage().whole(16, 1).bytes(), "\x80\x01\x01"s);
}

TEST(ProtoMessage, EncodesFloatsInLittleEndian) {
  EXPECT_EQ(ProtoMessage().single(2, 1.0F).bytes(), "\x15\x00\x00\x80\x3F"s);
  EXPECT_EQ(ProtoMessage().real(1, -2.0).bytes(), "\x09\x00\x00\x00\x00\x00\x00\x00\xC0"s);
}

TEST(ProtoMessage, PrefixesStringsAndMessagesWithTheirLength) {
  EXPECT_EQ(ProtoMessage().text(2, "testing").bytes(), "\x12\x07testing"s);
  EXPECT_EQ(ProtoMessage().text(1, "a\0b"s).bytes(), "\x0A\x03"s + "a\0b"s);
  EXPECT_EQ(ProtoMessage().message(3, ProtoMessage().whole(1, 150)).bytes(),
            "\x1A\x03\x08\x96\x01"s);
  EXPECT_EQ(ProtoMessage().text(1, std::string(200, 'x')).bytes(),
            "\x0A\xC8\x01"s + std::string(200, 'x'));
}

TEST(ProtoMessage, ContentMayBeWrittenSeparately) {
  EXPECT_EQ(ProtoMessage().whole(1, 1).opening(2, 7).bytes() + "testing",
            ProtoMessage().whole(1, 1).text(2, "testing").bytes());
}

}  // namespace
}  // namespace projnce::io
