#include "projnce/eval/audit/pattern_weight.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/held_out_scores.h"

namespace projnce::eval {
namespace {

/// 100 samples predicted as the first of two classes, with increasing confidence; those listed have
/// the other label.
struct OnALine {
  FoldData data;
  HeldOutScores scores;
};

OnALine on_a_line(const std::vector<int>& mislabeled) {
  OnALine line{.data = {}, .scores = {.logits = {}, .fit = {.best = NoiseModel(2, 0.1)}}};
  for (int k = 0; k < 100; ++k) {
    line.scores.logits.insert(line.scores.logits.end(), {0.1F * static_cast<float>(k), 0.0F});
    const bool wrong = std::find(mislabeled.begin(), mislabeled.end(), k) != mislabeled.end();
    line.data.labels.push_back(wrong);
  }
  line.data.rows = torch::zeros({100, 1});
  line.data.class_counts = {100 - int64_t(mislabeled.size()), int64_t(mislabeled.size())};
  return line;
}

TEST(PatternWeight, FlatnessComparesConfidentSamplesWithAll) {
  const auto flatness = [](const std::vector<int>& mislabeled) {
    const auto line = on_a_line(mislabeled);
    return flatness_of_mistakes(line.data, line.scores);
  };
  EXPECT_EQ(flatness({}), 0);
  EXPECT_EQ(flatness({0, 3, 10, 50}), 0);  // none among the surest 30 %
  EXPECT_NEAR(flatness({5, 15, 25, 35, 45, 55, 65, 75, 85, 95}), 1, 1e-9);
  EXPECT_NEAR(flatness({99, 98, 97}), 1 / 0.3, 1e-9);
}

TEST(PatternWeight, RequiresLessLikelihoodIfMistakesAreFlat) {
  const auto weight = [](const std::vector<int>& mislabeled, double gain) {
    auto line = on_a_line(mislabeled);
    line.scores.fit.held_out_samples = 1000;
    auto better = line.scores;
    better.fit.held_out = line.scores.fit.held_out + gain;
    return pattern_weight(line.data, line.scores, better);
  };
  const std::vector<int> flat = {5, 15, 25, 35, 45, 55, 65, 75, 85, 95};
  const std::vector<int> near_the_border = {0, 3, 10, 50};
  EXPECT_EQ(weight(flat, 50), 1);
  EXPECT_LT(weight(near_the_border, 50), 0.25);
  EXPECT_NEAR(weight(flat, 2), 0.25, 1e-9);  // below 4 nats is not significant
  EXPECT_EQ(weight(flat, -10), 0.01);        // never 0, so that the pattern still ranks
}

}  // namespace
}  // namespace projnce::eval
