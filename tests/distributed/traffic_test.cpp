#include "projnce/distributed/traffic.h"

#include <gtest/gtest.h>

namespace projnce {
namespace {

TEST(Traffic, OfASumIsTwiceTheOthersShare) {
  EXPECT_EQ(sum_traffic(400, 2).bytes, 400);
  EXPECT_EQ(sum_traffic(400, 4).bytes, 600);
  EXPECT_EQ(sum_traffic(400, 4).messages, 12);
  EXPECT_EQ(sum_traffic(int64_t{64} << 20, 4).messages, 2 * 16 * 3);
}

TEST(Traffic, OfABroadcastReachesEveryRankOnce) {
  for (int world = 1; world <= 17; ++world) {
    int64_t received = 0;
    for (int rank = 0; rank < world; ++rank) received += broadcast_traffic(10, rank, world).bytes;
    EXPECT_EQ(received, 10 * (world - 1)) << world;
  }
}

TEST(Traffic, OfABarrierGrowsWithTheLogarithm) {
  EXPECT_EQ(barrier_traffic(1).messages, 0);
  EXPECT_EQ(barrier_traffic(2).messages, 1);
  EXPECT_EQ(barrier_traffic(5).messages, 3);
  EXPECT_EQ(barrier_traffic(8).messages, 3);
}

}  // namespace
}  // namespace projnce
