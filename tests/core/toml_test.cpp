#include "projnce/core/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"

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

TEST(Toml, RejectsMissingFile) {
  EXPECT_THROW(read_toml("no/such/file.toml"), Error);
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
