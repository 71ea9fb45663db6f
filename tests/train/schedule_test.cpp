#include "projnce/train/train_options.h"

#include <gtest/gtest.h>

namespace projnce::train {
namespace {

TEST(Schedule, ConstantIsOneAfterALinearWarmUp) {
  const ScheduleOptions options{.schedule = Schedule::kConstant, .warmup_epochs = 1};
  EXPECT_DOUBLE_EQ(schedule_factor(options, 0, 10, 100), 0.1);
  EXPECT_DOUBLE_EQ(schedule_factor(options, 4, 10, 100), 0.5);
  EXPECT_DOUBLE_EQ(schedule_factor(options, 9, 10, 100), 1);
  EXPECT_DOUBLE_EQ(schedule_factor(options, 99, 10, 100), 1);
}

TEST(Schedule, CosineDecaysFromOneToNearlyZero) {
  const ScheduleOptions options{.schedule = Schedule::kCosine};
  EXPECT_DOUBLE_EQ(schedule_factor(options, 0, 10, 100), 1);
  EXPECT_NEAR(schedule_factor(options, 50, 10, 100), 0.5, 1e-12);
  EXPECT_LT(schedule_factor(options, 99, 10, 100), 1e-3);
}

TEST(Schedule, NeverIncreasesAfterTheWarmUp) {
  const ScheduleOptions options{.schedule = Schedule::kCosine, .warmup_epochs = 0.5};
  for (int64_t step = 6; step < 100; ++step) {
    EXPECT_LE(schedule_factor(options, step, 10, 100), schedule_factor(options, step - 1, 10, 100));
  }
}

}  // namespace
}  // namespace projnce::train
