#include "projnce/data/inspect_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>

#include "projnce/config/run_config.h"
#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/data/training_data.h"
#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::data {
namespace {

using ::testing::HasSubstr;

class InspectDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint8_t i = 0; i < 30; ++i) {
      for (const std::string name : {"cat", "dog"}) {
        const auto shade = static_cast<uint8_t>(name == "cat" ? i : 100 + i);
        testing::write_file(dir_.path() / name / concat(int{i}, ".png"),
                            testing::encode_png(testing::plain_image(4, 4, {shade})));
      }
    }
    context_.logger =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  }

  Inspection inspect_folder(const std::string& layout = {}) {
    return inspect_data({.what = dir_.path().string(), .layout = layout, .context = context_});
  }

  testing::ScratchDir dir_;
  dataset::OpenContext context_;
};

std::vector<std::string> names_in(const dataset::Dataset& part) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < part.size(); ++i) names.push_back(part.sample_name(i));
  return names;
}

TEST_F(InspectDataTest, UsesTheSplitOfTraining) {
  const auto config = config::parse_run_config(config::requested_settings({.data = dir_.path()}),
                                               config::EncoderChoice::kData);
  const auto trained = open_training_data(config, /*threads=*/1, context_);
  const auto inspection = inspect_folder();
  EXPECT_EQ(names_in(*inspection.split.train), names_in(trained.train()));
  EXPECT_EQ(names_in(*inspection.split.test), names_in(trained.test()));
  EXPECT_EQ(inspection.info.test.samples, trained.test().size());
  EXPECT_GT(inspection.info.test.samples, 0);
}

TEST_F(InspectDataTest, ReportsWhetherTrainingSkipsCorruptSamples) {
  const auto with_corrupt_files = [&](int count) {
    for (int i = 0; i < count; ++i) {
      testing::write_file(dir_.path() / "cat" / concat(i, ".png"), testing::octets_of("no image"));
    }
    return inspect_folder();
  };
  EXPECT_TRUE(with_corrupt_files(5).trainable());
  EXPECT_FALSE(with_corrupt_files(5).valid());
  EXPECT_FALSE(with_corrupt_files(6).trainable());
}

TEST_F(InspectDataTest, SuggestsTheClosestLayout) {
  EXPECT_THAT(testing::error_message_of([&] { inspect_folder("fodler"); }),
              HasSubstr("did you mean 'folder'"));
  EXPECT_THAT(testing::error_message_of(
                  [&] { config::requested_settings({.data = dir_.path(), .layout = "fodler"}); }),
              HasSubstr("did you mean 'folder'"));
}

}  // namespace
}  // namespace projnce::data
