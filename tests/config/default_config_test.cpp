#include "projnce/config/run_request.h"

#include <gtest/gtest.h>

#include "projnce/core/toml.h"
#include "projnce/encoder/registry.h"
#include "projnce/loss/registry.h"
#include "projnce/train/gradient_cache.h"

namespace projnce::config {
namespace {

Table make_config(const std::string& encoder, const std::string& loss) {
  return parse_toml("[dataset]\nname = 'folder'\n[encoder]\nname = '" + encoder +
                        "'\n[loss]\nname = '" + loss + "'\n",
                    "run.toml");
}

TEST(DefaultConfig, DependsOnTheNamedEncoderAndLoss) {
  DefaultConfig defaults;
  const auto table = defaults.of(make_config("resnet-small", "supcon"));
  EXPECT_EQ(std::get<int64_t>(table.tables.at("encoder").values.at("width").data), 16);
  EXPECT_TRUE(table.tables.at("loss").values.contains("temperature"));
  EXPECT_TRUE(table.tables.at("train").values.contains("epochs"));
  EXPECT_FALSE(
      defaults.of(make_config("mlp", "ce")).tables.at("loss").values.contains("temperature"));
}

/// Reports are written during training and must not change the random state in its checkpoints.
TEST(DefaultConfig, DrawsNoRandomNumbers) {
  const auto before = train::random_state();
  for (const auto& encoder : encoder::encoder_names()) {
    for (const auto& loss : loss::loss_names()) {
      DefaultConfig().of(make_config(encoder, loss));
      ASSERT_TRUE(torch::equal(train::random_state(), before)) << encoder << ", " << loss;
    }
  }
}

}  // namespace
}  // namespace projnce::config
