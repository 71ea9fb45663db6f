#include "projnce/report/text_table.h"

#include <gtest/gtest.h>

#include <limits>

namespace projnce::report {
namespace {

TEST(CsvRow, SeparatesFieldsByCommas) {
  EXPECT_EQ(CsvRow().text("a b").whole(-7).number(0.125).nothing().text("ü").line(),
            "a b,-7,0.125,,ü\n");
  EXPECT_EQ(CsvRow().line(), "\n");
  EXPECT_EQ(CsvRow().nothing().nothing().line(), ",\n");
}

TEST(CsvRow, QuotesSpecialCharacters) {
  EXPECT_EQ(CsvRow().text("a,b").line(), "\"a,b\"\n");
  EXPECT_EQ(CsvRow().text("say \"hi\"").line(), "\"say \"\"hi\"\"\"\n");
  EXPECT_EQ(CsvRow().text("two\nlines").line(), "\"two\nlines\"\n");
  EXPECT_EQ(CsvRow().text("old\rmac").line(), "\"old\rmac\"\n");
}

TEST(CsvRow, EscapesFormulas) {
  EXPECT_EQ(CsvRow().text("=1+1").line(), "'=1+1\n");
  EXPECT_EQ(CsvRow().text("+1").text("-1").text("@x").text("\tx").line(), "'+1,'-1,'@x,'\tx\n");
  EXPECT_EQ(CsvRow().text("=HYPERLINK(\"u\",\"v\")").line(),
            "\"'=HYPERLINK(\"\"u\"\",\"\"v\"\")\"\n");
  EXPECT_EQ(CsvRow().text("'quoted'").line(), "''quoted'\n")
      << "so that '=x and =x remain distinct";
  EXPECT_EQ(CsvRow().text("a=b").text("").line(), "a=b,\n");
}

TEST(CsvRow, ExactTextsHaveNoPrefix) {
  EXPECT_EQ(CsvRow().exact("=1+1").exact("-1").exact("'x").exact("a,\"b").line(),
            "=1+1,-1,'x,\"a,\"\"b\"\n");
}

TEST(CsvRow, NumbersHaveSixDigits) {
  EXPECT_EQ(CsvRow().number(1.0 / 3).number(1e-9).number(-12345678.0).line(),
            "0.333333,1e-09,-1.23457e+07\n");
  EXPECT_EQ(CsvRow().number(std::numeric_limits<double>::quiet_NaN()).line(), "nan\n");
  EXPECT_EQ(CsvRow().whole(std::numeric_limits<int64_t>::min()).line(), "-9223372036854775808\n");
}

}  // namespace
}  // namespace projnce::report
