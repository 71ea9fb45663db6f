#include "projnce/dataset/inspect/decode_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/fake_dataset.h"

namespace projnce::dataset {
namespace {

using ::testing::Each;

TEST(DecodeAll, VisitsEverySampleOnceForAnyNumberOfThreads) {
  const auto dataset = testing::fake_dataset(std::vector<int64_t>(200, 0));
  for (const int threads : {1, 3}) {
    std::vector<int> visits(200);
    const auto corrupt =
        decode_all(*dataset, {.threads = threads}, [&](int64_t i, Sample&& sample) {
          visits[static_cast<size_t>(i)] += std::get<Image>(sample).pixels[0] == i ? 1 : 1000;
        });
    EXPECT_TRUE(corrupt.empty());
    EXPECT_THAT(visits, Each(1));
  }
}

TEST(DecodeAll, ListsCorruptSamplesInOrder) {
  const auto dataset = testing::fake_dataset(std::vector<int64_t>(200, 0), {150, 3, 77});
  const auto corrupt = decode_all(*dataset, {.threads = 3}, [](int64_t, Sample&&) {});
  ASSERT_EQ(corrupt.size(), 3U);
  EXPECT_EQ(corrupt[0].index, 3);
  EXPECT_EQ(corrupt[1].name, "sample-77");
  EXPECT_EQ(corrupt[2].reason, "sample-150 is corrupt");
}

TEST(DecodeAll, ProgressIsMonotonicAndEndsWithTheTotal) {
  const auto dataset = testing::fake_dataset(std::vector<int64_t>(200, 0));
  int64_t last = 0;
  const auto on_progress = [&](int64_t done, int64_t total) {
    EXPECT_EQ(total, 200);
    EXPECT_GE(done, last);
    last = done;
  };
  decode_all(*dataset, {.threads = 2, .on_progress = on_progress}, [](int64_t, Sample&&) {});
  EXPECT_EQ(last, 200);
}

TEST(DecodeAll, RethrowsExceptionsOfTheVisitor) {
  const auto dataset = testing::fake_dataset(std::vector<int64_t>(200, 0));
  EXPECT_THROW(decode_all(*dataset, {.threads = 2},
                          [](int64_t, Sample&&) { throw std::runtime_error("stop"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace projnce::dataset
