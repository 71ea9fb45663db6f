#include "projnce/core/table_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
#include "tests/support/error_message.h"

namespace projnce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

enum class Schedule { kConstant, kCosine };

struct Inner {
  int count = 3;
  uint64_t seed = 0;
};

void list_fields(Inner& inner, FieldVisitor& fields) {
  fields.field("count", inner.count, between(1, 9)).field("seed", inner.seed);
}

struct Options {
  int64_t epochs = 10;
  double rate = 0.5;
  bool balanced = false;
  std::string note = "none";
  std::vector<double> mean = {0.5};
  std::optional<double> base;
  std::string limit = "auto";
  Schedule schedule = Schedule::kConstant;
  Inner inner;
};

void list_fields(Options& options, FieldVisitor& fields) {
  fields.field("epochs", options.epochs, at_least(1))
      .field("rate", options.rate, above(0))
      .field("balanced", options.balanced)
      .field("note", options.note)
      .field("mean", options.mean, between(0, 1))
      .field("base", options.base, above(0))
      .text_or_count("limit", options.limit)
      .choice("schedule", options.schedule,
              {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}})
      .section("inner", options.inner)
      .check([&options] {
        if (options.rate > 100) fail("the rate exceeds 100");
      });
}

Options read(const std::string& text) {
  return read_options<Options>(parse_toml(text, "run.toml"), "train");
}

/// Returns the error of reading `text`, including the hint.
std::string error_message_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return concat(error.what(), " ", error.hint());
  }
  return "no error";
}

TEST(TableReader, ReadsEveryKindOfField) {
  const auto options = read(
      "epochs = 3\nrate = 1\nbalanced = true\nnote = 'x'\nmean = [0.1, 1]\nbase = 0.07\n"
      "limit = 5\nschedule = 'cosine'\n[inner]\ncount = 4\nseed = 6");
  EXPECT_EQ(options.epochs, 3);
  EXPECT_EQ(options.rate, 1.0);
  EXPECT_TRUE(options.balanced);
  EXPECT_EQ(options.note, "x");
  EXPECT_EQ(options.mean, (std::vector<double>{0.1, 1.0}));
  EXPECT_EQ(options.base, 0.07);
  EXPECT_EQ(options.limit, "5");
  EXPECT_EQ(options.schedule, Schedule::kCosine);
  EXPECT_EQ(options.inner.count, 4);
  EXPECT_EQ(options.inner.seed, 6u);
}

TEST(TableReader, ReadsArraysOfStrings) {
  const auto table = parse_toml("names = ['a', 'b']\nwrong = ['a', 1]", "run.toml");
  std::vector<std::string> names;
  std::vector<std::string> absent = {"c"};
  TableReader reader(table, "");
  reader.field("names", names).field("absent", absent);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(absent, std::vector<std::string>{"c"});
  EXPECT_THAT(testing::error_message_of([&] { reader.field("wrong", names); }),
              HasSubstr("a quoted string"));
}

TEST(TableReader, MissingFieldsKeepTheirDefaults) {
  const auto options = read("");
  EXPECT_EQ(options.epochs, 10);
  EXPECT_EQ(options.rate, 0.5);
  EXPECT_EQ(options.base, std::nullopt);
  EXPECT_EQ(options.limit, "auto");
  EXPECT_EQ(options.inner.count, 3);
}

TEST(TableWriter, WrittenTablesReadBackEqual) {
  Options options;
  EXPECT_EQ(to_toml(to_table(options)),
            "balanced = false\nepochs = 10\nlimit = 'auto'\nmean = [0.5]\nnote = 'none'\n"
            "rate = 0.5\nschedule = 'constant'\n\n[inner]\ncount = 3\nseed = 0\n")
      << "all fields except the optional one";
  options = read("epochs = 7\nbase = 2\nmean = []\nlimit = '1%'\nrate = 3\n[inner]\ncount = 9");
  const auto written = to_toml(to_table(options));
  EXPECT_EQ(to_toml(to_table(read(written))), written);
  EXPECT_THAT(written, AllOf(HasSubstr("base = 2.0"), HasSubstr("mean = []"),
                             HasSubstr("limit = '1%'"), HasSubstr("rate = 3.0")));
}

TEST(TableReader, UnknownKeyReportsLocationAndNearestKey) {
  EXPECT_THAT(error_message_of("rate = 1\nepoch = 3"),
              AllOf(HasSubstr("run.toml:2"), HasSubstr("unknown key 'epoch' in [train]"),
                    HasSubstr("did you mean 'epochs'?")));
}

TEST(TableReader, RejectsWrongTypes) {
  EXPECT_THAT(error_message_of("epochs = 'ten'"),
              AllOf(HasSubstr("run.toml:1"), HasSubstr("epochs = 'ten'"),
                    HasSubstr("expected an integer")));
  EXPECT_THAT(error_message_of("epochs = 1.5"), HasSubstr("expected an integer"));
  EXPECT_THAT(error_message_of("rate = true"), HasSubstr("expected a number"));
  EXPECT_THAT(error_message_of("balanced = 1"), HasSubstr("true or false"));
  EXPECT_THAT(error_message_of("note = 1"), HasSubstr("string"));
  EXPECT_THAT(error_message_of("mean = 1"), HasSubstr("array"));
  EXPECT_THAT(error_message_of("limit = true"), HasSubstr("a quoted string"));
  EXPECT_THAT(error_message_of("[epochs]\na = 1"), HasSubstr("run.toml:1: epochs is a section"));
  EXPECT_THAT(error_message_of("inner = 1"),
              HasSubstr("[train] inner = 1 has the wrong type, expected a section [inner]"));
}

TEST(TableReader, ErrorsContainTheFullSectionName) {
  EXPECT_THAT(error_message_of("[inner]\ncount = 10"),
              HasSubstr("run.toml:2: [train.inner] count = 10 is out of range"));
  EXPECT_THAT(error_message_of("[inner]\ncuont = 1"),
              HasSubstr("unknown key 'cuont' in [train.inner]"));
}

TEST(TableReader, ReportsUnknownKeysBeforeRuleViolations) {
  EXPECT_THAT(error_message_of("rate = 101"), HasSubstr("the rate exceeds 100"));
  EXPECT_THAT(error_message_of("rate = 101\nepoch = 1"), HasSubstr("unknown key 'epoch'"));
}

TEST(TableReader, OutOfRangeNumbersReportTheRange) {
  EXPECT_THAT(error_message_of("epochs = 0"), HasSubstr("expected at least 1"));
  EXPECT_THAT(error_message_of("rate = 0"), HasSubstr("expected above 0"));
  EXPECT_THAT(error_message_of("rate = nan"), HasSubstr("out of range"));
  EXPECT_THAT(error_message_of("mean = [0.5, 2]"), HasSubstr("between 0 and 1"));
}

struct RenamedOptions {
  int64_t epochs = 10;
  Schedule schedule = Schedule::kConstant;
};

void list_fields(RenamedOptions& options, FieldVisitor& fields) {
  fields.renamed("rounds", "epochs")
      .field("epochs", options.epochs, at_least(1))
      .renamed("decay", "schedule")
      .choice("schedule", options.schedule,
              {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}},
              {{"flat", "constant"}, {"cos", "cosine"}});
}

struct RenamedSection {
  RenamedOptions train;
};

void list_fields(RenamedSection& options, FieldVisitor& fields) {
  fields.section("train", options.train);
}

TEST(TableReader, AcceptsDeprecatedKeysAndValuesWithAMessage) {
  auto table = parse_toml("[train]\nrounds = 7\ndecay = 'cos'", "run.toml");
  TableReader reader(table, "");
  RenamedSection options;
  list_fields(options, reader);
  reader.done();
  EXPECT_EQ(options.train.epochs, 7);
  EXPECT_EQ(options.train.schedule, Schedule::kCosine);
  std::vector<std::string> messages;
  for (const auto& deprecation : reader.deprecations()) messages.push_back(deprecation.message);
  EXPECT_THAT(messages,
              ::testing::ElementsAre("[train] rounds is deprecated, use epochs",
                                     "[train] decay is deprecated, use schedule",
                                     "[train] schedule = 'cos' is deprecated, use 'cosine'"));
  use_present_names(table, reader.deprecations());
  EXPECT_EQ(to_toml(table), to_toml(to_table(options)));
}

struct RenamedSectionName {
  RenamedOptions train;
};

void list_fields(RenamedSectionName& options, FieldVisitor& fields) {
  fields.renamed("fit", "train").section("train", options.train);
}

TEST(TableReader, AcceptsDeprecatedSections) {
  auto table = parse_toml("[fit]\nrounds = 7", "run.toml");
  TableReader reader(table, "");
  RenamedSectionName options;
  list_fields(options, reader);
  reader.done();
  EXPECT_EQ(options.train.epochs, 7);
  ASSERT_EQ(reader.deprecations().size(), 2U);
  EXPECT_EQ(reader.deprecations()[0].message, "fit is deprecated, use train");
  EXPECT_EQ(reader.deprecations()[1].message, "[train] rounds is deprecated, use epochs");
  use_present_names(table, reader.deprecations());
  EXPECT_EQ(to_toml(table), "\n[train]\nepochs = 7\n");
}

TEST(TableReader, RejectsADeprecatedSectionNextToThePresentOneAndOtherValues) {
  const auto error_of = [](const std::string& text) {
    return testing::error_message_of(
        [&] { read_options<RenamedSectionName>(parse_toml(text, "run.toml"), ""); });
  };
  EXPECT_THAT(error_of("[fit]\nepochs = 7\n[train]\nepochs = 8"),
              HasSubstr("train and fit are both set"));
  EXPECT_THAT(error_of("fit = 3"), HasSubstr("expected a section [fit]"));
}

struct RenamedNames {
  std::string loss;
  std::vector<std::string> protocols;
};

void list_fields(RenamedNames& options, FieldVisitor& fields) {
  fields.field("loss", options.loss, {{"selfish", "own"}})
      .field("protocols", options.protocols, {{"far", "near"}});
}

TEST(TableReader, AcceptsDeprecatedNamesAndListsOfThem) {
  auto table = parse_toml("loss = 'selfish'\nprotocols = ['knn', 'far']", "run.toml");
  TableReader reader(table, "");
  RenamedNames options;
  list_fields(options, reader);
  reader.done();
  EXPECT_EQ(options.loss, "own");
  EXPECT_THAT(options.protocols, ::testing::ElementsAre("knn", "near"));
  ASSERT_EQ(reader.deprecations().size(), 2U);
  EXPECT_EQ(reader.deprecations()[0].message, "loss = 'selfish' is deprecated, use 'own'");
  EXPECT_EQ(reader.deprecations()[1].message, "'far' in protocols is deprecated, use 'near'");
  use_present_names(table, reader.deprecations());
  EXPECT_EQ(to_toml(table), to_toml(to_table(options)));
}

TEST(TableReader, RejectsADeprecatedKeyNextToThePresentOne) {
  EXPECT_THAT(testing::error_message_of([] {
                read_options<RenamedOptions>(parse_toml("rounds = 7\nepochs = 8", "run.toml"),
                                             "train");
              }),
              AllOf(HasSubstr("epochs and rounds are both set")));
  EXPECT_EQ(read_options<RenamedOptions>(parse_toml("epochs = 8", "run.toml"), "train").epochs, 8);
}

TEST(TableReader, InvalidChoiceListsTheChoices) {
  EXPECT_THAT(error_message_of("schedule = 'cosin'"),
              AllOf(HasSubstr("not one of constant, cosine"), HasSubstr("did you mean 'cosine'")));
}

}  // namespace
}  // namespace projnce
