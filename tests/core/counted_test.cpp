#include "projnce/core/counted.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace projnce {
namespace {

TEST(Counted, UsesTheSingularForOneOnly) {
  EXPECT_EQ(counted(0, "epoch"), "0 epochs");
  EXPECT_EQ(counted(1, "epoch"), "1 epoch");
  EXPECT_EQ(counted(int64_t{2}, "epoch"), "2 epochs");
  EXPECT_EQ(counted(uint64_t{1}, "epoch"), "1 epoch");
}

TEST(Counted, TakesIrregularPlurals) {
  EXPECT_EQ(counted(1, "class", "classes"), "1 class");
  EXPECT_EQ(counted(3, "class", "classes"), "3 classes");
  EXPECT_EQ(counted(1, "label is", "labels are"), "1 label is");
  EXPECT_EQ(counted(0, "label is", "labels are"), "0 labels are");
}

}  // namespace
}  // namespace projnce
