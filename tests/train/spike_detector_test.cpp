#include "projnce/train/trainer.h"

#include <gtest/gtest.h>

namespace projnce::train {
namespace {

TEST(SpikeDetector, DetectsAJumpButNotADecrease) {
  SpikeDetector detector;
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(detector.update(5 - 0.01 * i + (i % 2 ? 0.05 : -0.05))) << i;
  }
  EXPECT_TRUE(detector.update(6));
  EXPECT_FALSE(detector.update(3));
}

TEST(SpikeDetector, ReportsNothingDuringWarmUp) {
  SpikeDetector detector;
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(detector.update(i == 30 ? 100 : 1));
}

TEST(SpikeDetector, IgnoresSmallChangesOfAConstantLoss) {
  SpikeDetector detector;
  for (int i = 0; i < 100; ++i) detector.update(2);
  EXPECT_FALSE(detector.update(2.1));
  EXPECT_TRUE(detector.update(2.2));
}

}  // namespace
}  // namespace projnce::train
