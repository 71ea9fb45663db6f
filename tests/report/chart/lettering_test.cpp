#include "projnce/report/chart/canvas.h"

#include <gtest/gtest.h>

namespace projnce::report {
namespace {

constexpr Font kLetters = {.size = 12};

TEST(Lettering, WidthsScaleWithFontSize) {
  EXPECT_EQ(text_width("", kLetters), 0);
  const double width = text_width("sweet pepper", kLetters);
  EXPECT_GT(width, 12 * 12 * 0.35);
  EXPECT_LT(width, 12 * 12 * 0.8);
  EXPECT_NEAR(text_width("sweet pepper", {.size = 24}), 2 * width, 0.05 * width);
  EXPECT_GT(text_width("sweet pepper", {.size = 12, .bold = true}), width);
}

TEST(Lettering, TextThatFitsIsNotShortened) {
  EXPECT_EQ(shorten("apple", kLetters, text_width("apple", kLetters)), "apple");
  EXPECT_EQ(shorten("", kLetters, 0), "");
}

TEST(Lettering, ShortenedTextFitsAndHasEllipsis) {
  const std::string text = "aquarium fish and some more";
  for (double width = 20; width < text_width(text, kLetters); width += 7) {
    const auto end = shorten(text, kLetters, width);
    EXPECT_LE(text_width(end, kLetters), width);
    EXPECT_TRUE(end.ends_with("…")) << end;
    EXPECT_FALSE(end.ends_with(" …")) << end;
    EXPECT_TRUE(shorten(text, kLetters, width, Cut::kStart).starts_with("…"));
  }
  EXPECT_TRUE(shorten("train/dogs/123.jpg", kLetters, 60, Cut::kStart).ends_with("123.jpg"));
  EXPECT_EQ(shorten(text, kLetters, 0), "…");
}

TEST(Lettering, DoesNotSplitCharacters) {
  const std::string umlauts = "ääääääääää";
  const auto cut = shorten(umlauts, kLetters, 40);
  const auto kept = cut.substr(0, cut.size() - std::string_view("…").size());
  EXPECT_EQ(kept.size() % 2, 0U);
  EXPECT_TRUE(umlauts.starts_with(kept));
}

TEST(Lettering, DisplayNamesAreOneLine) {
  EXPECT_EQ(display_name("a\nb"), "a\\x0Ab");
  EXPECT_EQ(display_name("\xFF"), "\\xFF");
  EXPECT_EQ(display_name(std::string("a\0b", 3)), "a\\x00b");
  const auto cut = display_name("x" + std::string(99'999, '\xC3'));
  EXPECT_LT(cut.size(), 250U);
  std::string many = "x";
  for (int i = 0; i < 1000; ++i) many += "ä";
  EXPECT_TRUE(display_name(many).ends_with("ä…"));
}

TEST(Lettering, NoncharactersBecomeReplacementCharacters) {
  EXPECT_EQ(display_name("\xEF\xBF\xBE|\xEF\xBF\xBF|\xEF\xB7\x90|\xF0\x9F\xBF\xBE"),
            "\uFFFD|\uFFFD|\uFFFD|\uFFFD");
  const std::string fine = "\u00FE\uFFFD\uFDCF\uFDF0\U0001F600\u7DD1";
  EXPECT_EQ(display_name(fine), fine);
}

TEST(Lettering, LargeNumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1\u202F000");
  EXPECT_EQ(grouped(1234567), "1\u202F234\u202F567");
  EXPECT_EQ(grouped(-999), "-999");
}

}  // namespace
}  // namespace projnce::report
