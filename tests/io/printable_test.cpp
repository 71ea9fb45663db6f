#include "projnce/io/printable.h"

#include <gtest/gtest.h>

namespace projnce::io {
namespace {

TEST(Printable, KeepsOrdinaryNames) {
  EXPECT_EQ(printable("Ankle boot/a-1.jpg"), "Ankle boot/a-1.jpg");
  EXPECT_EQ(printable("caf\u00E9 \u732B \U0001F431"), "caf\u00E9 \u732B \U0001F431");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesControlCharactersAndBackslashes) {
  EXPECT_EQ(printable("new\nline\t\x1B[1m\x7F"), "new\\x0Aline\\x09\\x1B[1m\\x7F");
  EXPECT_EQ(printable("a\\x0A"), "a\\x5Cx0A");
}

TEST(Printable, EscapesInvalidUtf8) {
  EXPECT_EQ(printable("caf\xE9"), "caf\\xE9");
  EXPECT_EQ(printable("\xC3"), "\\xC3") << "truncated";
  EXPECT_EQ(printable("\xC0\xAF"), "\\xC0\\xAF") << "overlong encoding";
  EXPECT_EQ(printable("\xE0\x80\xAF"), "\\xE0\\x80\\xAF") << "overlong encoding";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(printable("\xFF\x80"), "\\xFF\\x80");
}

}  // namespace
}  // namespace projnce::io
