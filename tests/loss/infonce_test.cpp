#include "projnce/loss/infonce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loss/loss_battery.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings infonce_settings() {
  LossSettings settings;
  for (const bool symmetric : {false, true}) {
    LossSetting setting{
        symmetric ? "symmetric" : "one_sided", [symmetric](const ContrastiveBatch& b) {
          return InfonceLoss({.temperature = kTemperature, .symmetric = symmetric}).evaluate(b);
        }};
    setting.any_rows = false;
    settings.push_back(setting);
  }
  return settings;
}

INSTANTIATE_LOSS_TESTS(Infonce, infonce_settings);

TEST(InfonceTest, ComparesFirstViewsWithSecondViews) {
  // Rows 0, 1, 2 are first views, their partners 5, 4, 3 second ones.
  const auto z = random_unit_rows(6, 4, 2);
  const auto instances = torch::tensor({8, 5, 6, 6, 5, 8});
  const auto a = z.index_select(0, torch::tensor({0, 1, 2}));
  const auto b = z.index_select(0, torch::tensor({5, 4, 3}));
  for (const bool symmetric : {false, true}) {
    const InfonceOptions options{.temperature = 0.2, .symmetric = symmetric};
    const auto expected = infonce(a, b, options);
    const auto value = InfonceLoss(options).evaluate(make_batch(z, instances, instances));
    EXPECT_NEAR(loss_of(value), loss_of(expected), 1e-12);
    EXPECT_NEAR(part(value, "uniformity"), part(expected, "uniformity"), 1e-12);
  }
}

TEST(InfonceTest, MatchesTheFormulaPairByPair) {
  const auto a = random_unit_rows(5, 3, 4);
  const auto b = random_unit_rows(5, 3, 5);
  const auto one_way = [](const torch::Tensor& from, const torch::Tensor& to) {
    double sum = 0;
    for (int64_t i = 0; i < 5; ++i) {
      double denominator = 0;
      for (int64_t j = 0; j < 5; ++j) {
        denominator += std::exp(from[i].dot(to[j]).item<double>() / 0.2);
      }
      sum += -from[i].dot(to[i]).item<double>() / 0.2 + std::log(denominator);
    }
    return sum / 5;
  };
  EXPECT_NEAR(loss_of(infonce(a, b, {.temperature = 0.2})), one_way(a, b), 1e-12);
  EXPECT_NEAR(loss_of(infonce(a, b, {.temperature = 0.2, .symmetric = true})),
              (one_way(a, b) + one_way(b, a)) / 2, 1e-12);
}

TEST(InfonceTest, NeedsTwoRowsOfEachInstance) {
  const auto z = random_unit_rows(4, 3, 1);
  const auto y = torch::tensor({0, 0, 0, 1});
  EXPECT_THAT(error_message_of([&] { InfonceLoss().evaluate(make_batch(z, y, y)); }),
              HasSubstr("exactly two rows"));
}

}  // namespace
}  // namespace projnce::testing
