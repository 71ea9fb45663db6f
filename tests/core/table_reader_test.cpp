#include "projnce/core/table_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "tests/support/complaint.h"

namespace projnce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

enum class Schedule { kConstant, kCosine };

struct Options {
  int64_t epochs = 10;
  double rate = 0.5;
  bool balanced = false;
  std::string note = "none";
  std::vector<double> mean = {0.5};
  std::optional<double> base;
  Schedule schedule = Schedule::kConstant;
};

Options read(Table& table) {
  Options options;
  TableReader(table, "train")
      .field("epochs", options.epochs, at_least(1))
      .field("rate", options.rate, above(0))
      .field("balanced", options.balanced)
      .field("note", options.note)
      .field("mean", options.mean, between(0, 1))
      .field("base", options.base, above(0))
      .choice("schedule", options.schedule,
              {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}})
      .done();
  return options;
}

/// The sentence that reading `text` ends with, hint included.
std::string complaint(const std::string& text) {
  try {
    auto table = parse_toml(text, "run.toml");
    read(table);
  } catch (const Error& error) {
    return concat(error.what(), " ", error.hint());
  }
  return "nothing was wrong";
}

TEST(TableReader, ReadsEveryKindOfField) {
  auto table = parse_toml(
      "epochs = 3\nrate = 1\nbalanced = true\nnote = 'x'\nmean = [0.1, 1]\nbase = 0.07\n"
      "schedule = 'cosine'",
      "run.toml");
  const auto options = read(table);
  EXPECT_EQ(options.epochs, 3);
  EXPECT_EQ(options.rate, 1.0);
  EXPECT_TRUE(options.balanced);
  EXPECT_EQ(options.note, "x");
  EXPECT_EQ(options.mean, (std::vector<double>{0.1, 1.0}));
  EXPECT_EQ(options.base, 0.07);
  EXPECT_EQ(options.schedule, Schedule::kCosine);
}

TEST(TableReader, ReadsArraysOfTexts) {
  auto table = parse_toml("names = ['a', 'b']\nwrong = ['a', 1]", "run.toml");
  std::vector<std::string> names;
  std::vector<std::string> absent = {"c"};
  TableReader reader(table, "");
  reader.field("names", names).field("absent", absent);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(absent, std::vector<std::string>{"c"});
  EXPECT_TRUE(table.has("absent"));
  EXPECT_THAT(testing::complaint([&] { reader.field("wrong", names); }),
              HasSubstr("a text in quotes"));
}

TEST(TableReader, CompletesTheTableWithDefaults) {
  Table table;
  read(table);
  auto again = parse_toml(to_toml(table), "resolved.toml");
  const auto options = read(again);
  EXPECT_EQ(options.epochs, 10);
  EXPECT_EQ(options.rate, 0.5);
  EXPECT_EQ(options.base, std::nullopt);
  EXPECT_EQ(again.values.size(), 6U) << "all but the optional field";
}

TEST(TableReader, UnknownKeyNamesThePlaceAndTheNearestKey) {
  EXPECT_THAT(complaint("rate = 1\nepoch = 3"),
              AllOf(HasSubstr("run.toml:2"), HasSubstr("unknown key 'epoch' in [train]"),
                    HasSubstr("did you mean 'epochs'?")));
}

TEST(TableReader, WrongTypesAreNamed) {
  EXPECT_THAT(
      complaint("epochs = 'ten'"),
      AllOf(HasSubstr("run.toml:1"), HasSubstr("epochs = 'ten'"), HasSubstr("whole number")));
  EXPECT_THAT(complaint("epochs = 1.5"), HasSubstr("whole number"));
  EXPECT_THAT(complaint("rate = true"), HasSubstr("expected a number"));
  EXPECT_THAT(complaint("balanced = 1"), HasSubstr("true or false"));
  EXPECT_THAT(complaint("note = 1"), HasSubstr("text"));
  EXPECT_THAT(complaint("mean = 1"), HasSubstr("array"));
  EXPECT_THAT(complaint("[epochs]\na = 1"), HasSubstr("is a section"));
}

TEST(TableReader, NumbersOutOfRangeAreNamedWithTheRange) {
  EXPECT_THAT(complaint("epochs = 0"), HasSubstr("expected at least 1"));
  EXPECT_THAT(complaint("rate = 0"), HasSubstr("expected above 0"));
  EXPECT_THAT(complaint("rate = nan"), HasSubstr("out of range"));
  EXPECT_THAT(complaint("mean = [0.5, 2]"), HasSubstr("between 0 and 1"));
}

TEST(TableReader, AWrongChoiceListsTheChoices) {
  EXPECT_THAT(complaint("schedule = 'cosin'"),
              AllOf(HasSubstr("not one of constant, cosine"), HasSubstr("did you mean 'cosine'")));
}

}  // namespace
}  // namespace projnce
