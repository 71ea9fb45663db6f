#include "projnce/loss/simclr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loss/loss_battery.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings simclr_settings() {
  return {{"default",
           [](const ContrastiveBatch& b) { return simclr(b, {.temperature = kTemperature}); }}};
}

INSTANTIATE_LOSS_TESTS(Simclr, simclr_settings);

class SimclrTest : public PairLossTest {};

TEST_F(SimclrTest, IsSupConOverInstances) {
  const auto unrelated = torch::zeros_like(y_);
  EXPECT_EQ(loss_of(simclr(make_batch(z_, unrelated, y_))), loss_of(supcon(batch())));
}

TEST_F(SimclrTest, IsCallableWithInstances) {
  SimclrLoss loss;
  EXPECT_EQ(loss(z_, torch::zeros_like(y_), y_).item<double>(), loss_of(supcon(batch())));
}

TEST_F(SimclrTest, ExcludesTheAnchorItself) {
  const auto equal = z_.narrow(0, 0, 1).expand({12, 5}).contiguous();
  const auto same = torch::zeros_like(y_);
  EXPECT_NEAR(loss_of(simclr(make_batch(equal, same, same))), log_others_, 1e-10);
}

TEST_F(SimclrTest, SupportsFloat32) {
  expect_float32_is_enough([](const ContrastiveBatch& b) { return simclr(b).loss; });
}

TEST_F(SimclrTest, NeedsInstances) {
  EXPECT_THAT(error_message_of([this] { simclr(batch()); }), HasSubstr("no anchor_instances"));
}

}  // namespace
}  // namespace projnce::testing
