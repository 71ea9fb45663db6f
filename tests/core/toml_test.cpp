#include "projnce/core/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "tests/support/error_message.h"

namespace projnce {
namespace {

using ::testing::HasSubstr;

template <class T>
T get(const Table& table, const std::string& section, const std::string& key) {
  return std::get<T>(table.tables.at(section).values.at(key).data);
}

TEST(Toml, SyntaxErrorsReportFileAndLine) {
  try {
    parse_toml("a = 1\nb = = 2", "broken.toml");
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("broken.toml:2"));
  }
}

std::string toml_error(const std::string& text) {
  return testing::error_message_of([&] { parse_toml(text, "deep.toml"); });
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Toml, RejectsDeepTablesBeforeParsing) {
  // 28 kB of dots overflowed the stack; a million levels overflow it in the destructor of toml++.
  for (const int levels : {18, 14'000, 1'000'000}) {
    const auto dots = repeated("a.", levels);
    const auto quoted = repeated(R"("=" . '#' . )", levels / 2);
    for (const auto& text : {dots + "a = 1", "\n[" + dots + "a]", "x = {" + dots + "a = 1}",
                             quoted + "a = 1", "x = {y = '''\n''''', " + dots + "a = 1}",
                             R"(x = {y = """\"""""", )" + dots + "a = 1}"}) {
      EXPECT_THAT(toml_error(text), HasSubstr("a key has more than 16 parts")) << levels;
    }
    EXPECT_THAT(toml_error("x = " + repeated("[", levels)), HasSubstr("more than 16 levels"));
    EXPECT_THAT(toml_error("x = " + repeated("{a = ", levels)), HasSubstr("more than 16 levels"));
    Table table;
    EXPECT_THROW(apply_setting(table, "x=" + repeated("[", levels)), Error);
  }
  EXPECT_THAT(toml_error("a = 1\nb = '''\n\n'''\n" + repeated("a.", 20) + "b = 1"),
              HasSubstr("deep.toml:5: "));
}

TEST(Toml, DotsInStringsAndCommentsAreNotLevels) {
  const auto dots = repeated(".[{", 100);
  const auto table =
      parse_toml("# \"" + dots + "\na = \"\\\"" + dots + "\"\nb = '" + dots + "'\nc = \"\"\"\n" +
                     dots + "\"\"\"\nd = '''''" + dots + "'''\ne.f.g = [[1.5, 2.5], [3.5]]",
                 "x.toml");
  EXPECT_EQ(std::get<std::string>(table.values.at("a").data), "\"" + dots);
  EXPECT_EQ(std::get<std::string>(table.values.at("d").data), "''" + dots);
  EXPECT_EQ(table.tables.at("e").tables.at("f").values.count("g"), 1U);
}

TEST(Toml, SettingsOverrideValuesAndInferTheirTypes) {
  auto table = parse_toml("[train]\nepochs = 1", "run.toml");
  apply_setting(table, "train.epochs=7");
  apply_setting(table, "train.rate=1e-3");
  apply_setting(table, "loss.name=projnce-mlp");
  apply_setting(table, "train.balanced=true");
  EXPECT_EQ(get<int64_t>(table, "train", "epochs"), 7);
  EXPECT_EQ(get<double>(table, "train", "rate"), 1e-3);
  EXPECT_EQ(get<std::string>(table, "loss", "name"), "projnce-mlp");
  EXPECT_EQ(get<bool>(table, "train", "balanced"), true);
}

TEST(Toml, RejectsSettingWithoutValue) {
  Table table;
  EXPECT_THROW(apply_setting(table, "train.epochs"), Error);
  EXPECT_THROW(apply_setting(table, "=3"), Error);
}

TEST(Toml, PrintedTablesRoundTrip) {
  auto table = parse_toml("seed = 3\nx = 0.1\n[a]\nt = \"it's\"\n[a.b]\nv = [1.0, 2.5]", "in.toml");
  const auto again = parse_toml(to_toml(table), "out.toml");
  EXPECT_EQ(to_toml(again), to_toml(table));
  EXPECT_EQ(std::get<double>(again.values.at("x").data), 0.1);
}

}  // namespace
}  // namespace projnce
