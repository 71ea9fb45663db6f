#include "projnce/loader/loaders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>

#include "projnce/augment/sample_views.h"
#include "projnce/core/error.h"
#include "tests/support/decoded_image.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"

namespace projnce::loader {
namespace {

using ::testing::HasSubstr;
using testing::image_input;
using testing::random_dataset;
using testing::random_images;

TrainLoaderOptions small_options() {
  return {.batch_size = 8, .format = image_input(3, 12), .seed = 11};
}

std::vector<Batch> epoch_of(TrainLoader& loader, int64_t epoch, int64_t first_batch = 0) {
  std::vector<Batch> batches;
  loader.start_epoch(epoch, first_batch);
  while (auto batch = loader.next()) batches.push_back(std::move(*batch));
  return batches;
}

void expect_same(const std::vector<Batch>& left, const std::vector<Batch>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_TRUE(torch::equal(left[i].images, right[i].images)) << "batch " << i;
    EXPECT_TRUE(torch::equal(left[i].labels, right[i].labels)) << "batch " << i;
    EXPECT_TRUE(torch::equal(left[i].indices, right[i].indices)) << "batch " << i;
  }
}

TEST(TrainLoader, LaysOutViewsLabelsAndIndices) {
  const auto dataset = random_dataset(20, 4, 12, 3);
  const auto options = small_options();
  TrainLoader loader(dataset, options);
  EXPECT_EQ(loader.batches_per_epoch(), 3);
  augment::TrainTransform transform(options.augment, options.format.image);
  for (const auto& batch : epoch_of(loader, 2)) {
    const int64_t count = batch.size();
    ASSERT_EQ(batch.images.sizes(), (std::vector<int64_t>{2 * count, 3, 12, 12}));
    ASSERT_TRUE(batch.images.is_contiguous(torch::MemoryFormat::ChannelsLast));
    for (int64_t b = 0; b < count; ++b) {
      const auto index = batch.indices[b].item<int64_t>();
      EXPECT_EQ(batch.labels[b].item<int64_t>(), dataset->label(index));
      for (int64_t v = 0; v < 2; ++v) {
        auto expected = torch::empty({12, 12, 3});
        transform.make_view(testing::decoded_image(*dataset, index),
                            augment::view_seed(11, 2, index, v), expected.data_ptr<float>());
        EXPECT_TRUE(torch::equal(batch.images[v * count + b].permute({1, 2, 0}), expected));
      }
    }
  }
}

TEST(TrainLoader, BatchesDoNotDependOnTheNumberOfThreads) {
  const auto dataset = random_dataset(60, 4, 12, 3);
  auto options = small_options();
  TrainLoader one(dataset, options);
  const auto expected = epoch_of(one, 1);
  for (const int64_t threads : {0, 2, 5}) {
    for (const int64_t prefetch : {1, 3}) {
      options.threads = threads;
      options.prefetch = prefetch;
      TrainLoader many(dataset, options);
      expect_same(epoch_of(many, 1), expected);
    }
  }
}

TEST(TrainLoader, ResumesInTheMiddleOfAnEpoch) {
  const auto dataset = random_dataset(60, 4, 12, 3);
  for (const bool balanced : {false, true}) {
    auto options = small_options();
    options.balanced = balanced;
    options.threads = 2;
    TrainLoader loader(dataset, options);
    auto expected = epoch_of(loader, 3);
    expected.erase(expected.begin(), expected.begin() + 5);
    TrainLoader resumed(dataset, options);
    expect_same(epoch_of(resumed, 3, 5), expected);
    EXPECT_TRUE(epoch_of(resumed, 3, resumed.batches_per_epoch()).empty());
  }
}

TEST(TrainLoader, LoadsEverySampleOnceInADifferentOrderPerEpoch) {
  TrainLoader loader(random_dataset(50, 5, 4, 1), {.batch_size = 8, .format = image_input(1, 4)});
  const auto first = epoch_of(loader, 0);
  std::set<int64_t> seen;
  for (const auto& batch : first) {
    for (int64_t b = 0; b < batch.size(); ++b) seen.insert(batch.indices[b].item<int64_t>());
  }
  EXPECT_EQ(seen.size(), 50U);
  const auto second = epoch_of(loader, 1);
  EXPECT_FALSE(torch::equal(first[0].indices, second[0].indices));
  EXPECT_FALSE(torch::equal(first[0].images, second[0].images));
}

TEST(TrainLoader, KeepsAnIncompleteLastBatchOfAtLeastTwo) {
  auto options = small_options();
  const auto batches = [&](int64_t samples) {
    return TrainLoader(random_dataset(samples, 2, 12, 3), options).batches_per_epoch();
  };
  EXPECT_EQ(batches(16), 2);
  EXPECT_EQ(batches(17), 2);
  EXPECT_EQ(batches(18), 3);
  options.drop_last = true;
  EXPECT_EQ(batches(23), 2);
}

TEST(TrainLoader, SupportsAnyNumberOfViewsAndImagesOfAnyShape) {
  std::vector<Image> images = {testing::random_image(1, 1, 1, 1),
                               testing::random_image(3, 200, 3, 2),
                               testing::random_image(28, 28, 1, 3)};
  const auto dataset =
      std::make_shared<testing::MemoryDataset>(images, std::vector<int64_t>{0, 1, 0}, 2);
  for (const int64_t views : {1, 3}) {
    auto options = small_options();
    options.augment.views = views;
    TrainLoader loader(dataset, options);
    const auto batches = epoch_of(loader, 0);
    ASSERT_EQ(batches.size(), 1U);
    EXPECT_EQ(batches[0].images.size(0), 3 * views);
    EXPECT_TRUE(torch::isfinite(batches[0].images).all().item<bool>());
  }
}

TEST(TrainLoader, RethrowsTheErrorOfACorruptSample) {
  auto images = random_images(40, 12, 3);
  images[17].pixels.clear();
  const auto dataset = std::make_shared<testing::MemoryDataset>(std::move(images),
                                                                testing::cycling_labels(40, 4), 4);
  auto options = small_options();
  options.threads = 3;
  options.max_corrupt = {.count = 0};
  TrainLoader loader(dataset, options);
  try {
    epoch_of(loader, 0);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sample 17 is corrupt"));
  }
}

TEST(TrainLoader, CanStopInTheMiddleOfAnEpochAndStartAnother) {
  const auto dataset = random_dataset(200, 4, 12, 3);
  auto options = small_options();
  options.threads = 2;
  TrainLoader loader(dataset, options);
  EXPECT_FALSE(loader.next().has_value());
  loader.start_epoch(0);
  EXPECT_TRUE(loader.next().has_value());
  EXPECT_EQ(epoch_of(loader, 1).size(), 25U);
  EXPECT_GE(loader.seconds_waited(), 0);
  loader.start_epoch(2);
}

TEST(TrainLoader, RejectsInvalidOptions) {
  const auto dataset = random_dataset(20, 4, 12, 3);
  const auto error_message_of = [&](const TrainLoaderOptions& options) -> std::string {
    try {
      TrainLoader(dataset, options).start_epoch(0, 4);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  auto options = small_options();
  EXPECT_THAT(error_message_of(options), HasSubstr("first_batch = 4"));
  options.threads = -1;
  EXPECT_THAT(error_message_of(options), HasSubstr("threads = -1"));
  options = small_options();
  options.batch_size = 1;
  EXPECT_THAT(error_message_of(options), HasSubstr("batch_size = 1"));
  options = small_options();
  options.batch_size = 64;
  options.drop_last = true;
  EXPECT_THAT(error_message_of(options), HasSubstr("20 samples"));
}

TEST(TrainLoader, PrefetchesAcrossEpochsWithoutChangingBatches) {
  const auto dataset = random_dataset(60, 4, 12, 3);
  auto options = small_options();
  options.threads = 2;
  options.epochs = 4;
  TrainLoader continuous(dataset, options);
  for (const int64_t epoch : {0, 1, 2, 3}) {
    TrainLoader fresh(dataset, options);
    expect_same(epoch_of(continuous, epoch), epoch_of(fresh, epoch));
  }
  TrainLoader fresh(dataset, options);
  expect_same(epoch_of(continuous, 1, 2), epoch_of(fresh, 1, 2));  // a jump back
}

}  // namespace
}  // namespace projnce::loader
