#include "projnce/loader/loaders.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "projnce/augment/sample_views.h"
#include "projnce/core/error.h"
#include "tests/support/decoded_image.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"

namespace projnce::loader {
namespace {

using testing::image_input;
using testing::plain_format;
using testing::random_dataset;

TEST(EvalLoader, ReturnsEverySampleInOrderWithoutAugmentation) {
  const auto dataset = random_dataset(21, 3, 10, 3);
  const auto format = plain_format(3, 6);
  augment::EvalTransform transform(format);
  for (const int64_t threads : {1, 3}) {
    EvalLoader loader(
        dataset,
        {.batch_size = 10, .format = augment::InputFormat::images(format), .threads = threads});
    int64_t index = 0;
    while (const auto batch = loader.next()) {
      EXPECT_EQ(batch->views, 1);
      for (int64_t b = 0; b < batch->size(); ++b, ++index) {
        EXPECT_EQ(batch->indices[b].item<int64_t>(), index);
        EXPECT_EQ(batch->labels[b].item<int64_t>(), index % 3);
        auto expected = torch::empty({6, 6, 3});
        transform.make_view(testing::decoded_image(*dataset, index), expected.data_ptr<float>());
        EXPECT_TRUE(torch::equal(batch->images[b].permute({1, 2, 0}), expected));
      }
    }
    EXPECT_EQ(index, 21);
  }
}

TEST(EvalLoader, HasNoBatchesForAnEmptyDataset) {
  EvalLoader loader(random_dataset(0, 2, 4, 1), {.format = image_input(1, 4)});
  EXPECT_FALSE(loader.next().has_value());
}

TEST(EvalLoader, RejectsInvalidOptions) {
  const auto dataset = random_dataset(3, 2, 4, 1);
  EXPECT_THROW(EvalLoader(dataset, {.batch_size = 0, .format = image_input(1, 4)}), Error);
  EXPECT_THROW(EvalLoader(dataset, {.format = {}}), Error);
}

}  // namespace
}  // namespace projnce::loader
