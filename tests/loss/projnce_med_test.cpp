#include "projnce/loss/projnce_med.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loss/loss_battery.h"
#include "tests/loss/naive_pairs.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings projnce_med_settings() {
  LossSettings settings;
  const auto add = [&settings](const std::string& name, ProjnceMedOptions options, bool rotates) {
    options.temperature = kTemperature;
    settings.push_back({name,
                        [options](const ContrastiveBatch& b) { return projnce_med(b, options); },
                        !options.detach_g, true, rotates});
  };
  add("lower", {}, false);
  add("mean", {.median = projection::MedianKind::kMean}, false);
  add("geometric", {.median = projection::MedianKind::kGeometric}, true);
  add("exclude_self", {.denominator = Exclude::kSelf}, false);
  add("normalized", {.normalize_g = true}, false);
  add("detach_g", {.detach_g = true}, false);
  return settings;
}

INSTANTIATE_LOSS_TESTS(ProjnceMed, projnce_med_settings);

class ProjnceMedTest : public ClassLossTest {};

TEST_F(ProjnceMedTest, MatchesTheFormulaRowByRow) {
  std::vector<torch::Tensor> medians;
  for (int64_t c = 0; c < 3; ++c) {
    const auto rows = z_.index_select(0, (y_ == c).nonzero().squeeze(1));
    medians.push_back(std::get<0>(rows.median(0)));
  }
  const auto g = torch::stack(medians);
  for (const bool self : {true, false}) {
    const auto denominator = self ? Exclude::kNone : Exclude::kSelf;
    EXPECT_NEAR(loss_of(projnce_med(batch(), {.temperature = 0.3, .denominator = denominator})),
                naive_class_infonce(z_, y_, g, 0.3, self), 1e-12);
  }
}

TEST_F(ProjnceMedTest, OneClassGivesLogNWithoutGradient) {
  expect_log_n_for_one_class([](const ContrastiveBatch& b) { return projnce_med(b).loss; });
}

TEST_F(ProjnceMedTest, RejectsANegativeTemperature) {
  EXPECT_THAT(error_message_of([] { ProjnceMedLoss({.temperature = -1}); }),
              HasSubstr("projnce-med: temperature = -1"));
}

TEST_F(ProjnceMedTest, SupportsFloat32) {
  expect_float32_is_enough([](const ContrastiveBatch& b) { return projnce_med(b).loss; });
}

TEST_F(ProjnceMedTest, CriticOfOtherRowsIsTheirMedians) {
  const auto rows = random_unit_rows(9, 4, 7);
  const auto labels = torch::tensor({0, 0, 0, 2, 2, 2, 2, 0, 0});
  auto critic = ProjnceMedLoss().critic(rows, labels, 3);
  EXPECT_FALSE(critic.compares_rows);
  EXPECT_TRUE(critic.class_vectors[1].isnan().all().item<bool>()) << "class 1 has no rows";
  const auto median = std::get<0>(rows.index_select(0, torch::tensor({0, 1, 2, 7, 8})).median(0));
  EXPECT_TRUE(torch::equal(critic.class_vectors[0], median));
  critic = ProjnceMedLoss({.normalize_g = true}).critic(rows, labels, 3);
  EXPECT_NEAR(critic.class_vectors[2].norm().item<double>(), 1, 1e-12);
}

}  // namespace
}  // namespace projnce::testing
