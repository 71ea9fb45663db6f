#include "projnce/train/train_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "tests/support/error_message.h"

namespace projnce::train {
namespace {

using ::testing::AllOf;
using testing::error_message_of;
using ::testing::HasSubstr;

TrainOptions options_with_micro_batch(int64_t micro_batch, int64_t batch_size = 64) {
  Table table;
  table.values["micro_batch"] = Value{micro_batch, "run.toml:2"};
  table.values["batch_size"] = Value{batch_size, "run.toml:3"};
  return read_options<TrainOptions>(table, "train");
}

TEST(TrainOptions, MicroBatchDefaultsToOffAndIsSaved) {
  const auto options = read_options<TrainOptions>({}, "train");
  EXPECT_EQ(options.micro_batch, 0);
  EXPECT_EQ(std::get<int64_t>(to_table(options).values.at("micro_batch").data), 0);
}

TEST(TrainOptions, MicroBatchIsAtMostTheBatchSize) {
  EXPECT_EQ(options_with_micro_batch(1).micro_batch, 1);
  EXPECT_EQ(options_with_micro_batch(64).micro_batch, 64);
  EXPECT_THAT(error_message_of([] { options_with_micro_batch(65); }),
              AllOf(HasSubstr("[train] micro_batch = 65 is larger than batch_size = 64"),
                    HasSubstr("0 encodes the whole batch")));
  EXPECT_THAT(error_message_of([] { options_with_micro_batch(-1); }),
              HasSubstr("run.toml:2: [train] micro_batch = -1 is out of range"));
}

}  // namespace
}  // namespace projnce::train
