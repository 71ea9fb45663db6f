#include "projnce/dataset/wrappers/wrappers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::HasSubstr;
using Labels = std::vector<int64_t>;

constexpr int64_t kClasses = 5;

Labels cycling_labels(int64_t count) {
  Labels labels;
  for (int64_t i = 0; i < count; ++i) labels.push_back(i % kClasses);
  return labels;
}

double changed_fraction(const Labels& before, const Labels& after) {
  double changed = 0;
  for (size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i];
  return changed / double(before.size());
}

TEST(LabelNoise, MatchesTheGoldenFile) {
  const std::map<std::string, LabelNoiseMode> modes = {
      {"uniform_other", LabelNoiseMode::kUniformOther},
      {"uniform_all", LabelNoiseMode::kUniformAll},
      {"permute_subset", LabelNoiseMode::kPermuteSubset}};
  const auto golden = nlohmann::json::parse(std::ifstream("golden/label_noise.json"));
  EXPECT_GT(golden["cases"].size(), 5U);
  for (const auto& test : golden["cases"]) {
    const auto& params = test["params"];
    const LabelNoiseOptions options{.mode = modes.at(params["mode"]),
                                    .rate = params["p"],
                                    .seed = params["seed"].get<uint64_t>()};
    const auto noisy =
        add_label_noise(test["inputs"]["labels"].get<Labels>(), params["num_classes"], options);
    EXPECT_EQ(noisy, test["expected"]["labels"].get<Labels>()) << test["id"];
  }
}

TEST(LabelNoise, UniformOtherChangesTheConfiguredFraction) {
  const auto clean = cycling_labels(20'000);
  const auto noisy = add_label_noise(clean, kClasses, {.rate = 0.4, .seed = 3});
  EXPECT_NEAR(changed_fraction(clean, noisy), 0.4, 0.015);
}

TEST(LabelNoise, UniformAllSometimesDrawsTheSameLabel) {
  const auto clean = cycling_labels(20'000);
  const auto noisy = add_label_noise(clean, kClasses,
                                     {.mode = LabelNoiseMode::kUniformAll, .rate = 0.5, .seed = 3});
  EXPECT_NEAR(changed_fraction(clean, noisy), 0.5 * 4 / 5, 0.015);
}

TEST(LabelNoise, PermuteSubsetKeepsTheClassCounts) {
  auto clean = cycling_labels(1'000);
  auto noisy = add_label_noise(clean, kClasses,
                               {.mode = LabelNoiseMode::kPermuteSubset, .rate = 0.7, .seed = 9});
  EXPECT_NE(noisy, clean);
  std::sort(clean.begin(), clean.end());
  std::sort(noisy.begin(), noisy.end());
  EXPECT_EQ(noisy, clean);
}

TEST(LabelNoise, RateOneWithTwoClassesSwapsThem) {
  EXPECT_EQ(add_label_noise({0, 1, 1, 0}, 2, {.rate = 1}), (Labels{1, 0, 0, 1}));
}

TEST(LabelNoise, RejectsLabelsOutOfRangeAndASingleClass) {
  EXPECT_THAT(testing::error_message_of([] {
                add_label_noise({0, 3}, 3, {});
              }),
              HasSubstr("sample 1 has label 3, expected 0 to 2"));
  EXPECT_THAT(testing::error_message_of([] { add_label_noise({0}, 1, {}); }),
              HasSubstr("two classes"));
}

}  // namespace
}  // namespace projnce::dataset
