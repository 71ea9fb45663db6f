#include "projnce/io/printable.h"

#include <gtest/gtest.h>

namespace projnce::io {
namespace {

TEST(EscapeHtml, EscapesMarkup) {
  EXPECT_EQ(escape_html("<a href=\"x\">'b' & c"),
            "&lt;a href=&quot;x&quot;&gt;&#39;b&#39; &amp; c");
  EXPECT_EQ(escape_html("grün → 緑"), "grün → 緑");
}

}  // namespace
}  // namespace projnce::io
