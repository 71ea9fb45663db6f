#include "projnce/io/tensor/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/data_files.h"
#include "tests/support/error_message.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using ::testing::ElementsAre;
using testing::encode_idx;
using ::testing::HasSubstr;

std::string error_about(const Bytes& bytes) {
  return testing::error_message_of([&] { parse_idx(bytes, "train-labels"); });
}

TEST(Idx, ReadsDimensionsAndValues) {
  const auto bytes = encode_idx({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const auto array = parse_idx(bytes, "x");
  EXPECT_THAT(array.dims, ElementsAre(2, 1, 3));
  EXPECT_THAT(array.values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Idx, RejectsEveryTruncation) {
  const auto bytes = encode_idx({2, 3}, {1, 2, 3, 4, 5, 6});
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<int64_t>(size));
    EXPECT_THAT(error_about(cut), AllOf(HasSubstr("train-labels has "), HasSubstr("expected")));
  }
}

TEST(Idx, ReportsFoundAndExpectedBytes) {
  EXPECT_THAT(error_about(encode_idx({2, 3}, {1, 2, 3, 4, 5})),
              AllOf(HasSubstr("train-labels has 5 bytes of values, expected 6"),
                    HasSubstr("download the file again")));
  EXPECT_THAT(error_about(encode_idx({2}, {1, 2, 3})),
              HasSubstr("has 3 bytes of values, expected 2"));
}

TEST(Idx, RejectsWrongMagicTypeOrRank) {
  EXPECT_THAT(error_about(testing::octets_of("<html> not found")),
              HasSubstr("is not an IDX file: it starts with 60 104, expected 0 0"));
  EXPECT_THAT(error_about({0, 0, 0x0D, 1, 0, 0, 0, 0}), HasSubstr("type 13, expected 8"));
  EXPECT_THAT(error_about({0, 0, 8, 0}), HasSubstr("0 dimensions, expected 1 to 8"));
  EXPECT_THAT(error_about({0, 0, 8, 9}), HasSubstr("9 dimensions, expected 1 to 8"));
}

TEST(Idx, RejectsDimensionsWhoseProductOverflows) {
  constexpr int64_t kMost = 0xFFFFFFFF;
  EXPECT_THAT(error_about(encode_idx({kMost, kMost, kMost}, {1})),
              HasSubstr("more values than fit in any file"));
}

}  // namespace
}  // namespace projnce::io
