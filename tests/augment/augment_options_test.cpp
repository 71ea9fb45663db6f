#include "projnce/augment/augment_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"

namespace projnce::augment {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

AugmentOptions read(const std::string& text) {
  return read_options<AugmentOptions>(parse_toml(text, "run.toml"), "augment");
}

std::string error_message_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what() + error.hint();
  }
  return {};
}

TEST(AugmentOptions, DefaultToSupConValues) {
  const auto options = read("");
  EXPECT_EQ(options.views, 2);
  EXPECT_EQ(options.crop_scale_min, 0.2);
  EXPECT_EQ(options.hue, 0.1);
  EXPECT_TRUE(to_table(options).has("grayscale_probability"));
}

TEST(AugmentOptions, AreReadFromATable) {
  const auto options = read("views = 1\ncrop_scale_min = 0.5\nhue = 0\n");
  EXPECT_EQ(options.views, 1);
  EXPECT_EQ(options.crop_scale_min, 0.5);
  EXPECT_EQ(options.hue, 0);
}

TEST(AugmentOptions, RejectValuesOutOfRangeOrOrder) {
  EXPECT_THAT(error_message_of("flip_probability = 1.5"), HasSubstr("flip_probability"));
  EXPECT_THAT(error_message_of("crop_scale_min = 0"), HasSubstr("crop_scale_min"));
  EXPECT_THAT(error_message_of("crop_scale_max = 0.1"),
              AllOf(HasSubstr("crop_scale_min = 0.2"), HasSubstr("crop_scale_max = 0.1")));
  EXPECT_THAT(error_message_of("crop_aspect_min = 2"), HasSubstr("crop_aspect_max"));
  EXPECT_THAT(error_message_of("crop_scale = 0.1"), HasSubstr("unknown key"));
}

}  // namespace
}  // namespace projnce::augment
