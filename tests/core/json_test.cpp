#include "projnce/core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/error_message.h"

namespace projnce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string json_error(const std::string& text) {
  return testing::error_message_of([&] { parse_json(text, "a.json"); });
}

std::string nested(size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(Json, LimitsTheLevels) {
  EXPECT_EQ(parse_json(nested(64), "a.json").size(), 1U);
  for (const size_t levels : {65U, 10'000'000U}) {
    EXPECT_THAT(json_error(nested(levels)), HasSubstr("a.json contains JSON with more than 64"));
    EXPECT_TRUE(try_parse_json(nested(levels)).is_discarded());
  }
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(json_error(objects), HasSubstr("more than 64 levels"));
}

TEST(Json, BracketsInStringsAreNotLevels) {
  const auto brackets = "\"\\\"" + std::string(100, '[') + "\\\\\"";
  EXPECT_EQ(parse_json("[" + brackets + "]", "a.json").size(), 1U);
  EXPECT_THAT(json_error("[" + brackets + "," + nested(64) + "]"),
              HasSubstr("more than 64 levels"));
}

TEST(Json, LimitsTheKeysWhoseOrderIsKept) {
  std::string text = "{\"k\":0";
  for (int i = 1; i < 10'000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  EXPECT_EQ(parse_ordered_json(text + "}", "a.json").size(), 10'000U);
  text += ",\"last\":0}";
  EXPECT_THAT(testing::error_message_of([&] { parse_ordered_json(text, "a.json"); }),
              HasSubstr("more than 10000 keys"));
  EXPECT_EQ(parse_json(text, "a.json").size(), 10'001U);
}

TEST(Json, ReportsTheNameAndTheReason) {
  EXPECT_THAT(json_error("{\"a\": }"),
              AllOf(HasSubstr("a.json is not valid JSON: parse error"), HasSubstr("column 7")));
  EXPECT_THAT(json_error("1e999"), HasSubstr("a.json is not valid JSON: number overflow"));
  EXPECT_TRUE(try_parse_json("[1e999]").is_discarded());
}

TEST(Json, CountsAreIntegersThatCannotOverflow) {
  EXPECT_EQ(json_count(parse_json("9007199254740992", "x"), "x"), kLargestJsonCount);
  EXPECT_EQ(json_count(nlohmann::json(7), "x"), 7);
  for (const char* text : {"9007199254740993", "18446744073709551615", "9223372036854775807", "-1",
                           "1e300", "-1e300", "7.0", "\"7\"", "null", "[7]"}) {
    EXPECT_THAT(testing::error_message_of([&] { json_count(parse_json(text, "x"), "x"); }),
                HasSubstr("expected an integer"))
        << text;
  }
}

}  // namespace
}  // namespace projnce
