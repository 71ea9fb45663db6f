#include "projnce/io/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace projnce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(EscapeHtml, MarkupBecomesText) {
  EXPECT_EQ(escape_html("<a href=\"x\">'b' & c"),
            "&lt;a href=&quot;x&quot;&gt;&#39;b&#39; &amp; c");
  EXPECT_EQ(escape_html("grün → 緑"), "grün → 緑");
}

TEST(HtmlStart, AllowsNothingFromOutside) {
  EXPECT_THAT(html_start("</title><script>", "p { }"),
              AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("default-src 'none'"),
                    HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"), HasSubstr("p { }"),
                    Not(HasSubstr("<script"))));
}

TEST(InlinePicture, IsAPngWithItsSizeAndName) {
  EXPECT_THAT(
      inline_picture(Image{2, 3, 1, {1, 2, 3, 4, 5, 6}}, "a \"picture\""),
      AllOf(HasSubstr("width=\"3\" height=\"2\""), HasSubstr("alt=\"a &quot;picture&quot;\""),
            HasSubstr("src=\"data:image/png;base64,iVBOR")));
}

}  // namespace
}  // namespace projnce
