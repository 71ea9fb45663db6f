#include "projnce/train/trainer.h"

#include <gtest/gtest.h>

namespace projnce::train {
namespace {

TEST(SpikeDetector, NoticesAJumpButNotTheWayDown) {
  SpikeDetector watch;
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(watch.see(5 - 0.01 * i + (i % 2 ? 0.05 : -0.05))) << i;
  }
  EXPECT_TRUE(watch.see(6));
  EXPECT_FALSE(watch.see(3));
}

TEST(SpikeDetector, IsSilentBeforeItKnowsWhatIsUsual) {
  SpikeDetector watch;
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(watch.see(i == 30 ? 100 : 1));
}

TEST(SpikeDetector, TakesNoSmallChangeOfAnEvenLossForASpike) {
  SpikeDetector watch;
  for (int i = 0; i < 100; ++i) watch.see(2);
  EXPECT_FALSE(watch.see(2.1));
  EXPECT_TRUE(watch.see(2.2));
}

}  // namespace
}  // namespace projnce::train
