#include "projnce/eval/audit/fold_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace projnce::eval {
namespace {

TEST(Folds, AreStratifiedByClass) {
  std::vector<int64_t> labels(103);
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = i < 100 ? int64_t(i % 3) : 3 + int64_t(i == 102);
  const auto fold = stratified_folds(labels, 5, 5, 1);
  std::vector<std::vector<int>> count(5, std::vector<int>(5, 0));
  for (size_t i = 0; i < labels.size(); ++i) {
    ++count[static_cast<size_t>(labels[i])][static_cast<size_t>(fold[i])];
  }
  for (size_t c = 0; c < 3; ++c) {
    for (const int members : count[c]) EXPECT_NEAR(members, 100.0 / 15, 1);
  }
  EXPECT_LE(*std::max_element(count[3].begin(), count[3].end()), 1);  // two samples, two folds
  EXPECT_NE(fold, stratified_folds(labels, 5, 5, 2));
}

}  // namespace
}  // namespace projnce::eval
