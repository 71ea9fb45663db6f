#include "projnce/kernel/blocks.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace projnce::kernel {
namespace {

TEST(RoundRobinSchedule, VisitsEveryPairOnceAndNoBlockTwicePerRound) {
  for (int64_t blocks = 1; blocks <= 12; ++blocks) {
    const RoundRobinSchedule schedule(blocks);
    std::set<std::pair<int64_t, int64_t>> met;
    for (int64_t round = 0; round < schedule.rounds(); ++round) {
      std::set<int64_t> busy;
      for (int64_t k = 0; k < schedule.pairs(round); ++k) {
        const auto [row, column] = schedule.pair(round, k);
        ASSERT_LE(0, row);
        ASSERT_LE(row, column);
        ASSERT_LT(column, blocks);
        EXPECT_TRUE(met.emplace(row, column).second)
            << "pair " << row << ", " << column << " twice";
        EXPECT_TRUE(busy.insert(row).second);
        EXPECT_TRUE(row == column || busy.insert(column).second);
      }
    }
    EXPECT_EQ(static_cast<int64_t>(met.size()), blocks * (blocks + 1) / 2) << blocks << " blocks";
  }
}

TEST(BlockGrid, VisitsEveryPairOnceAndNoBlockTwicePerRound) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 5}, {5, 1}, {3, 7}, {7, 3}, {4, 4}}) {
    const BlockGrid grid(rows, columns);
    std::set<std::pair<int64_t, int64_t>> met;
    for (int64_t round = 0; round < grid.rounds(); ++round) {
      std::set<int64_t> busy_rows;
      std::set<int64_t> busy_columns;
      for (int64_t k = 0; k < grid.pairs(round); ++k) {
        const auto [row, column] = grid.pair(round, k);
        ASSERT_TRUE(row >= 0 && row < rows && column >= 0 && column < columns);
        EXPECT_TRUE(met.emplace(row, column).second);
        EXPECT_TRUE(busy_rows.insert(row).second);
        EXPECT_TRUE(busy_columns.insert(column).second);
      }
    }
    EXPECT_EQ(static_cast<int>(met.size()), rows * columns);
  }
}

}  // namespace
}  // namespace projnce::kernel
