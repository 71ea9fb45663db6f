#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>

#include "projnce/core/error.h"
#include "projnce/loader/loaders.h"
#include "tests/support/error_message.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"

namespace projnce::loader {
namespace {

using ::testing::HasSubstr;
using testing::image_input;
using testing::MemoryDataset;

/// Gray images; those in `corrupt` fail to decode.
dataset::DatasetPtr images(int64_t count, const std::vector<size_t>& corrupt) {
  auto images = testing::random_images(count, 4, 1);
  for (const size_t index : corrupt) images[index].pixels.clear();
  return std::make_shared<MemoryDataset>(std::move(images), testing::cycling_labels(count, 2), 2);
}

TEST(CorruptSamples, AreDroppedFromTrainingBatchesAndCounted) {
  TrainLoader loader(images(400, {7, 300}),
                     {.batch_size = 50, .format = image_input(1, 4), .threads = 2});
  std::set<int64_t> seen;
  for (const int64_t epoch : {0, 1}) {
    loader.start_epoch(epoch);
    while (const auto batch = loader.next()) {
      EXPECT_EQ(batch->images.size(0), 2 * batch->size());
      EXPECT_TRUE(batch->images.is_contiguous(torch::MemoryFormat::ChannelsLast));
      for (int64_t b = 0; b < batch->size(); ++b) {
        const auto index = batch->indices[b].item<int64_t>();
        EXPECT_EQ(batch->labels[b].item<int64_t>(), index % 2);
        seen.insert(index);
      }
    }
  }
  EXPECT_EQ(seen.size(), 398U);
  EXPECT_EQ(seen.count(7) + seen.count(300), 0U);
  EXPECT_EQ(loader.corrupt().size(), 2U);
}

TEST(CorruptSamples, DoNotChangeTheOtherRows) {
  const TrainLoaderOptions options{.batch_size = 400, .format = image_input(1, 4)};
  TrainLoader whole(images(400, {}), options);
  TrainLoader corrupt(images(400, {7}), options);
  whole.start_epoch(3);
  corrupt.start_epoch(3);
  const auto expected = *whole.next();
  const auto batch = *corrupt.next();
  ASSERT_EQ(batch.size(), 399);
  const auto kept = expected.indices.ne(7);
  EXPECT_TRUE(torch::equal(batch.indices, expected.indices.masked_select(kept)));
  const auto rows = kept.repeat({2}).nonzero().flatten();
  EXPECT_TRUE(torch::equal(batch.images, expected.images.index_select(0, rows)));
}

TEST(CorruptSamples, StopTheRunIfTooMany) {
  TrainLoader loader(images(100, {1, 2}),
                     {.batch_size = 100, .format = image_input(1, 4), .max_corrupt = {.count = 1}});
  loader.start_epoch(0);
  EXPECT_THAT(testing::error_message_of([&] { loader.next(); }),
              HasSubstr("2 of 100 samples cannot be read, expected at most 1:"));
}

TEST(CorruptSamples, AreSkippedByDefaultIfFew) {
  TrainLoader loader(images(100, {1, 2}), {.batch_size = 100, .format = image_input(1, 4)});
  loader.start_epoch(0);
  loader.next();
  EXPECT_EQ(loader.corrupt().size(), 2U);
}

TEST(CorruptSamples, AreDroppedFromEvaluation) {
  CorruptSampleTracker corrupt_samples(200, nullptr);
  for (int pass = 0; pass < 2; ++pass) {
    EvalLoader loader(
        images(200, {3}),
        {.batch_size = 64, .format = image_input(1, 4), .corrupt_samples = &corrupt_samples});
    int64_t rows = 0;
    while (const auto batch = loader.next()) rows += batch->images.size(0);
    EXPECT_EQ(rows, 199);
  }
  EXPECT_EQ(corrupt_samples.skipped(), 1);
}

TEST(CorruptSamples, ThrowInEvaluationWithoutTracker) {
  EvalLoader loader(images(200, {3}), {.batch_size = 64, .format = image_input(1, 4)});
  EXPECT_THAT(testing::error_message_of([&] { loader.next(); }), HasSubstr("sample 3 is corrupt"));
}

}  // namespace
}  // namespace projnce::loader
