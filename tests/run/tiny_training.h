#pragma once

#include <spdlog/sinks/null_sink.h>

#include <limits>
#include <memory>
#include <string>

#include "projnce/run/train.h"
#include "tests/support/data_files.h"
#include "tests/support/files.h"

namespace projnce::run {

inline constexpr int kPerClass = 20;
inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

inline Logger silent_logger() {
  return std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_st>());
}

/// Writes class folders of dark and bright images.
inline void write_photos(const std::filesystem::path& folder) {
  for (int i = 0; i < kPerClass; ++i) {
    const auto name = std::to_string(i) + ".png";
    const auto shade = static_cast<uint8_t>(2 * i);
    testing::write_file(folder / "dark" / name,
                        testing::encode_png(testing::plain_image(8, 8, {shade})));
    testing::write_file(folder / "bright" / name, testing::encode_png(testing::plain_image(
                                                      8, 8, {static_cast<uint8_t>(255 - shade)})));
  }
}

/// Two epochs of a few steps. Saves a checkpoint after every step and keeps all of them.
inline TrainRequest tiny_training(const std::filesystem::path& photos,
                                  const std::filesystem::path& out) {
  return {.run = {.config = {},
                  .data = photos,
                  .settings = {"threads=1", "encoder.name=resnet-small", "encoder.width=8",
                               "encoder.dim=8", "train.epochs=2", "train.batch_size=8",
                               "train.learning_rate=0.003", "train.log_every=1",
                               "train.checkpoint_every=1", "train.keep_checkpoints=100"}},
          .out = out,
          .command = {}};
}

/// Trains until `stop_requested` has been called `steps` times.
inline TrainOutcome train_for(const TrainRequest& request, int64_t steps) {
  return train(request, {.logger = silent_logger(),
                         .stop_requested = [left = steps]() mutable { return --left <= 0; },
                         .data = {}});
}

}  // namespace projnce::run
