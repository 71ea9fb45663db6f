#include "projnce/encoder/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"

namespace projnce {
namespace {

using ::testing::HasSubstr;

TEST(EncoderRegistry, MakesEveryEncoderItNames) {
  for (const auto& name : encoder_names()) {
    auto table = parse_toml("name = '" + name + "'\ndim = 16", "run.toml");
    const auto model = make_model(table, {.channels = 1, .height = 28, .width = 28});
    model->eval();
    EXPECT_EQ(model->forward(torch::zeros({2, 1, 28, 28})).embeddings.size(1), 16) << name;
  }
}

TEST(EncoderRegistry, DefaultsAreThePapers) {
  Table table;
  const auto model = make_model(table, {.channels = 3, .height = 32, .width = 32});
  EXPECT_EQ(model->feature_dim(), 512);
  EXPECT_EQ(model->embedding_dim(), 128);
  EXPECT_EQ(std::get<std::string>(table.values.at("name").data), "resnet18");
}

TEST(EncoderRegistry, CompletesTablesWithoutBuildingAModel) {
  for (const auto& name : encoder_names()) {
    auto built = parse_toml("name = '" + name + "'", "run.toml");
    auto completed = built;
    make_model(built, {.channels = 1, .height = 28, .width = 28});
    complete_encoder_table(completed);
    EXPECT_EQ(to_toml(completed), to_toml(built));
    EXPECT_TRUE(completed.values.contains("head")) << name;
  }
}

TEST(EncoderRegistry, RejectsUnknownNamesAndFields) {
  const auto complaint = [](const std::string& text) {
    try {
      auto table = parse_toml(text, "run.toml");
      complete_encoder_table(table);
    } catch (const Error& error) {
      return concat(error.what(), " ", error.hint());
    }
    return std::string("nothing was wrong");
  };
  EXPECT_THAT(complaint("name = 'resnet50'"),
              HasSubstr("known: audio-cnn, mlp, resnet-small, resnet18"));
  EXPECT_THAT(complaint("heads = 'mlp'"), HasSubstr("did you mean 'head'?"));
  EXPECT_THAT(complaint("dim = 0"), HasSubstr("out of range"));
}

}  // namespace
}  // namespace projnce
