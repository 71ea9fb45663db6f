#include "projnce/loss/joint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/loss/projnce.h"
#include "tests/loss/loss_battery.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings joint_settings() {
  return {{"projnce", [](const ContrastiveBatch& b) {
             JointLoss loss(
                 std::make_shared<ProjnceLoss>(ProjnceOptions{.temperature = kTemperature}),
                 {.theta = 0.3, .self = {.temperature = kTemperature}});
             return loss.evaluate(b);
           }}};
}

INSTANTIATE_LOSS_TESTS(Joint, joint_settings);

class JointTest : public BalancedLossTest {};

TEST_F(JointTest, EndsAtItsParts) {
  const auto supervised = std::make_shared<ProjnceLoss>();
  EXPECT_NEAR(loss_of(JointLoss(supervised, {.theta = 0}).evaluate(batch())),
              loss_of(simclr(batch())), 1e-13);
  EXPECT_NEAR(loss_of(JointLoss(supervised, {.theta = 1}).evaluate(batch())),
              loss_of(projnce(batch())), 1e-13);
}

TEST_F(JointTest, IsTheWeightedSumOfBothLosses) {
  const auto supervised = std::make_shared<ProjnceLoss>();
  EXPECT_NEAR(JointLoss(supervised, {.theta = 0.3})(z_, y_, instances_).item<double>(),
              0.3 * loss_of(projnce(batch())) + 0.7 * loss_of(simclr(batch())), 1e-12);
}

TEST_F(JointTest, RejectsThetaAboveOne) {
  EXPECT_THAT(error_message_of([] { JointLoss(std::make_shared<SupConLoss>(), {.theta = 1.5}); }),
              HasSubstr("theta = 1.5"));
}

}  // namespace
}  // namespace projnce::testing
