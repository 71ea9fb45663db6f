#include "projnce/encoder/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"

namespace projnce::encoder {
namespace {

using ::testing::HasSubstr;

TEST(EncoderRegistry, BuildsEveryListedEncoder) {
  torch::manual_seed(1);
  for (const auto& name : encoder_names()) {
    auto options = encoder_options(name);
    options.head.dim = 16;
    const auto model = make_model(options, {.channels = 1, .height = 28, .width = 28});
    model->eval();
    EXPECT_EQ(model->forward(torch::zeros({2, 1, 28, 28})).embeddings.size(1), 16) << name;
  }
}

TEST(EncoderRegistry, DefaultsMatchThePaper) {
  torch::manual_seed(1);
  const auto options = parse_encoder_options({});
  EXPECT_EQ(options.name, "resnet18");
  const auto model = make_model(options, {.channels = 3, .height = 32, .width = 32});
  EXPECT_EQ(model->feature_dim(), 512);
  EXPECT_EQ(model->embedding_dim(), 128);
}

TEST(EncoderRegistry, OptionsRoundTripThroughToml) {
  for (const auto& name : encoder_names()) {
    const auto written = to_toml(to_table(encoder_options(name)));
    EXPECT_EQ(to_toml(to_table(parse_encoder_options(parse_toml(written, "run.toml")))), written);
  }
  EXPECT_EQ(to_toml(to_table(encoder_options("resnet-small"))),
            "dim = 128\nengine = 'auto'\nhead = 'mlp'\nname = 'resnet-small'\nstem = 'auto'\n"
            "width = 16\n");
  const auto text = "dim = 32\nhead = 'linear'\nlayers = 2\nname = 'mlp'\nwidth = 64\n";
  EXPECT_EQ(to_toml(to_table(parse_encoder_options(parse_toml(text, "run.toml")))), text);
}

TEST(EncoderRegistry, RejectsOptionsOfAnotherEncoder) {
  torch::manual_seed(1);
  EncoderOptions options;
  options.name = "mlp";
  EXPECT_THROW(make_model(options, {}), c10::Error);
}

TEST(EncoderRegistry, RejectsUnknownNamesAndFields) {
  const auto error_message_of = [](const std::string& text) {
    try {
      parse_encoder_options(parse_toml(text, "run.toml"));
    } catch (const Error& error) {
      return concat(error.what(), " ", error.hint());
    }
    return std::string("nothing was wrong");
  };
  EXPECT_THAT(error_message_of("name = 'resnet50'"),
              HasSubstr("known: audio-cnn, mlp, resnet-small, resnet18"));
  EXPECT_THAT(error_message_of("heads = 'mlp'"), HasSubstr("did you mean 'head'?"));
  EXPECT_THAT(error_message_of("dim = 0"), HasSubstr("out of range"));
}

}  // namespace
}  // namespace projnce::encoder
