#include "projnce/core/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"

namespace projnce {
namespace {

using ::testing::HasSubstr;

TEST(Names, FindsNameWithSmallestEditDistance) {
  const std::vector<std::string> known = {"temperature", "beta", "bandwidth"};
  EXPECT_EQ(nearest_name("temprature", known), "temperature");
  EXPECT_EQ(nearest_name("bta", known), "beta");
}

TEST(Names, SuggestsNothingIfNoNameIsClose) {
  EXPECT_EQ(nearest_name("xylophone", {"beta", "tau"}), "");
}

TEST(Names, CompletesUniquePrefix) {
  EXPECT_EQ(nearest_name("embed", {"embeddings", "test-embeddings", "labels"}), "embeddings");
  EXPECT_EQ(nearest_name("test", {"test-embeddings", "test-labels"}), "");  // ambiguous
  EXPECT_EQ(nearest_name("em", {"embeddings"}), "");                        // too short
}

TEST(Names, UnknownNameListsNearestAndAllKnownNames) {
  try {
    fail_unknown("loss", "supcn", {"projnce", "supcon"});
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown loss 'supcn'"));
    EXPECT_THAT(error.hint(), HasSubstr("did you mean 'supcon'"));
    EXPECT_THAT(error.hint(), HasSubstr("projnce, supcon"));
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
  }
}

}  // namespace
}  // namespace projnce
