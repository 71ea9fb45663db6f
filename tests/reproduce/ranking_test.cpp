#include "projnce/reproduce/result.h"

#include <gtest/gtest.h>

#include <cmath>

namespace projnce::reproduce {
namespace {

TEST(KendallTau, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  EXPECT_EQ(kendall_tau({1, 2, 3, 4}, {10, 20, 30, 31}), 1);
  EXPECT_EQ(kendall_tau({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
}

TEST(KendallTau, CountsPairs) {
  EXPECT_DOUBLE_EQ(*kendall_tau({1, 2, 3, 4}, {1, 3, 2, 4}), 4.0 / 6);  // 5 pairs agree, 1 does not
}

TEST(KendallTau, CorrectsForTies) {
  // By hand: pairs (1,2) tied in a; of the other two one agrees and one is tied in b.
  EXPECT_DOUBLE_EQ(*kendall_tau({1, 1, 2}, {1, 2, 2}), 1 / std::sqrt(2.0 * 2.0));
}

TEST(KendallTau, IsUndefinedWithoutAnOrder) {
  EXPECT_EQ(kendall_tau({}, {}), std::nullopt);
  EXPECT_EQ(kendall_tau({1}, {2}), std::nullopt);
  EXPECT_EQ(kendall_tau({1, 1}, {2, 3}), std::nullopt);
}

}  // namespace
}  // namespace projnce::reproduce
