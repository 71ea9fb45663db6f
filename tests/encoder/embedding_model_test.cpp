#include "projnce/encoder/embedding_model.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/encoder/resnet.h"

namespace projnce::encoder {
namespace {

/// Seeds LibTorch's generator, also for later draws of the test.
EmbeddingModel tiny_model(const HeadOptions& head) {
  torch::manual_seed(3);
  return EmbeddingModel(
      std::make_shared<ResNet>(ResNetOptions{.input = {.channels = 1, .height = 8, .width = 8},
                                             .widths = {4, 6},
                                             .blocks_per_stage = 1}),
      head);
}

TEST(EmbeddingModel, EmbeddingsAreNormalizedWithEveryHead) {
  for (const auto kind : {HeadKind::kMlp, HeadKind::kLinear, HeadKind::kNone}) {
    auto model = tiny_model({.kind = kind, .dim = 5});
    const auto encoded = model.forward(torch::randn({4, 1, 8, 8}));
    const int64_t dim = kind == HeadKind::kNone ? 6 : 5;
    EXPECT_EQ(model.embedding_dim(), dim);
    EXPECT_EQ(encoded.embeddings.sizes(), (std::vector<int64_t>{4, dim}));
    EXPECT_EQ(encoded.features.sizes(), (std::vector<int64_t>{4, 6}));
    EXPECT_TRUE(torch::allclose(encoded.embeddings.norm(2, 1), torch::ones({4})));
  }
}

TEST(EmbeddingModel, ZeroVectorHasAFiniteEmbeddingAndGradient) {
  ProjectionHead head(3, HeadOptions{.kind = HeadKind::kNone});
  auto features = torch::zeros({2, 3}, torch::requires_grad());
  const auto embeddings = head->forward(features);
  embeddings.sum().backward();
  EXPECT_TRUE(embeddings.isfinite().all().item<bool>());
  EXPECT_TRUE(features.grad().isfinite().all().item<bool>());
}

TEST(EmbeddingModel, ConvolutionWeightsAreChannelsLast) {
  auto model = tiny_model({});
  for (const auto& parameter : model.parameters()) {
    if (parameter.dim() == 4) {
      EXPECT_TRUE(parameter.is_contiguous(torch::MemoryFormat::ChannelsLast));
    }
  }
}

TEST(EmbeddingModel, MemoryLayoutDoesNotChangeTheResult) {
  auto model = tiny_model({.dim = 5});
  model.eval();
  const auto images = torch::randn({4, 1, 8, 8});
  const auto plain = model.forward(images).embeddings;
  const auto last = model.forward(images.contiguous(torch::MemoryFormat::ChannelsLast)).embeddings;
  EXPECT_TRUE(torch::allclose(plain, last, 1e-4, 1e-5));
}

}  // namespace
}  // namespace projnce::encoder
