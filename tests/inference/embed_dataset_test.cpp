#include "projnce/inference/embed.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/encoder/resnet.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"

namespace projnce::inference {
namespace {

encoder::EmbeddingModel tiny_model() {
  torch::manual_seed(2);
  return encoder::EmbeddingModel(
      std::make_shared<encoder::ResNet>(encoder::ResNetOptions{
          .input = {.channels = 1, .height = 8, .width = 8}, .widths = {4}, .blocks_per_stage = 1}),
      {.dim = 3});
}

TEST(EmbedDataset, RowOrderDoesNotDependOnTheBatchSize) {
  auto model = tiny_model();
  const auto dataset = testing::random_dataset(11, 3, 8, 1);
  const auto format = testing::plain_format(1, 8);
  const auto whole = embed_dataset(
      model, dataset, {.batch_size = 11, .format = augment::InputFormat::images(format)});
  const auto parts = embed_dataset(
      model, dataset,
      {.batch_size = 4, .format = augment::InputFormat::images(format), .threads = 2});
  EXPECT_EQ(whole.embeddings.sizes(), (std::vector<int64_t>{11, 3}));
  EXPECT_TRUE(torch::allclose(whole.embeddings, parts.embeddings, 1e-5, 1e-6));
  EXPECT_TRUE(torch::equal(whole.labels, torch::arange(11).remainder(3)));
}

TEST(EmbedDataset, RestoresTheTrainingModeAndKeepsTheState) {
  auto model = tiny_model();
  model.train();
  const auto mean = model.named_buffers()["encoder.bn1.running_mean"].clone();
  embed_dataset(model, testing::random_dataset(4, 2, 8, 1),
                {.batch_size = 4, .format = testing::image_input(1, 8)});
  EXPECT_TRUE(model.is_training());
  EXPECT_TRUE(torch::equal(model.named_buffers()["encoder.bn1.running_mean"], mean));
}

}  // namespace
}  // namespace projnce::inference
