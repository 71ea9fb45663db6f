#include "projnce/loss/projnce_perp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/projection/centroid.h"
#include "tests/loss/loss_battery.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The batch with instances split by label, as hard labels need them.
ContrastiveBatch one_label_each(ContrastiveBatch batch) {
  const auto split = [](torch::Tensor& instances, const torch::Tensor& labels) {
    if (instances.defined()) instances = instances * (int64_t{1} << 24) + labels;
  };
  split(batch.anchor_instances, batch.anchor_labels);
  split(batch.candidate_instances, batch.candidate_labels);
  return batch;
}

LossSettings projnce_perp_settings() {
  LossSettings settings;
  const auto add = [&settings](const std::string& name, ProjncePerpOptions options,
                               bool differentiable = true, bool rotates = true) {
    options.temperature = kTemperature;
    const bool by_label = options.perp.soft_source == projection::SoftSource::kGiven ||
                          options.priors == PriorSource::kTraining;
    settings.push_back({name,
                        [options](const ContrastiveBatch& b) {
                          const auto priors = torch::tensor({.1, .4, .2, .3}, torch::kFloat64);
                          return projnce_perp(one_label_each(b), options, priors);
                        },
                        differentiable, !by_label, rotates});
  };
  const auto nw = [](kernel::SmoothingKernel kernel, kernel::Metric metric, double bandwidth,
                     projection::DistanceScale scale = projection::DistanceScale::kNone,
                     bool exclude_self = false) {
    return projection::PerpOptions{.nw = {.kernel = kernel,
                                          .metric = metric,
                                          .bandwidth = bandwidth,
                                          .distance_scale = scale,
                                          .exclude_self = exclude_self},
                                   .detach_q = false};
  };
  add("given", {.perp = {.soft_source = projection::SoftSource::kGiven}});
  add("l1", {.perp = nw(kernel::SmoothingKernel::kEpanechnikov, kernel::Metric::kL1, 2.5)}, true,
      false);
  add("l1_unit",
      {.perp = nw(kernel::SmoothingKernel::kTriangular, kernel::Metric::kL1, 0.6,
                  projection::DistanceScale::kUnit)},
      true, false);
  add("l2", {.perp = nw(kernel::SmoothingKernel::kMixed, kernel::Metric::kL2, 1.3)});
  add("l2_not_self", {.perp = nw(kernel::SmoothingKernel::kTriangular, kernel::Metric::kL2, 1.1,
                                 projection::DistanceScale::kNone, true)});
  add("cosine", {.perp = nw(kernel::SmoothingKernel::kExponential, kernel::Metric::kCosine, 0.6)});
  add("exclude_self", {.perp = nw(kernel::SmoothingKernel::kEpanechnikov, kernel::Metric::kL2, 1.2),
                       .denominator = Exclude::kSelf});
  add("normalized", {.perp = nw(kernel::SmoothingKernel::kEpanechnikov, kernel::Metric::kL2, 1.2),
                     .normalize_g = true});
  add("detach_q", {.perp = {.nw = {.metric = kernel::Metric::kL2, .bandwidth = 1.2}}}, false);
  add("detach_g",
      {.perp = nw(kernel::SmoothingKernel::kMixed, kernel::Metric::kL2, 1.2), .detach_g = true},
      false);
  const auto instance = LeaveOneOut::kInstance;
  const projection::PerpOptions hard{.soft_source = projection::SoftSource::kHard};
  const projection::PerpOptions given{.soft_source = projection::SoftSource::kGiven};
  const auto smooth = nw(kernel::SmoothingKernel::kMixed, kernel::Metric::kL2, 1.3);
  add("hard", {.perp = hard});
  add("hard_instance", {.perp = hard, .leave_one_out = instance});
  add("hard_instance_uniform",
      {.perp = hard, .leave_one_out = instance, .priors = PriorSource::kUniform});
  add("hard_instance_training",
      {.perp = hard, .leave_one_out = instance, .priors = PriorSource::kTraining});
  add("hard_instance_unit", {.perp = hard, .normalize_g = true, .leave_one_out = instance});
  add("hard_instance_detach", {.perp = hard, .detach_g = true, .leave_one_out = instance}, false);
  add("given_instance", {.perp = given, .leave_one_out = instance});
  add("given_instance_training",
      {.perp = given, .leave_one_out = instance, .priors = PriorSource::kTraining});
  add("given_instance_unit", {.perp = given, .normalize_g = true, .leave_one_out = instance});
  add("nw_instance", {.perp = smooth, .leave_one_out = instance});
  add("nw_instance_unit", {.perp = smooth,
                           .normalize_g = true,
                           .leave_one_out = instance,
                           .priors = PriorSource::kUniform});
  add("nw_instance_detach", {.perp = smooth, .detach_g = true, .leave_one_out = instance}, false);
  return settings;
}

INSTANTIATE_LOSS_TESTS(ProjncePerp, projnce_perp_settings);

class ProjncePerpTest : public BalancedLossTest {};

TEST_F(ProjncePerpTest, WithHardLabelsIsTheCentroidLoss) {
  auto given = batch();
  given.candidate_soft_labels = torch::one_hot(y_, 3).to(torch::kFloat64);
  const auto one_hot =
      loss_of(projnce_perp(given, {.perp = {.soft_source = projection::SoftSource::kGiven}}));
  const auto narrow = loss_of(projnce_perp(batch(), {.perp = {.nw = {.bandwidth = 1e-6}}}));
  const auto full = std::make_shared<projection::CentroidProjection>(
      projection::CentroidOptions{.rows = projection::CentroidRows::kAll});
  GeneralizedInfoNCELoss centroids(full, full, {.beta = 0, .denominator = Exclude::kNone});
  EXPECT_NEAR(one_hot, narrow, 1e-12);
  EXPECT_NEAR(one_hot, loss_of(centroids.evaluate(batch())), 1e-12);
}

TEST_F(ProjncePerpTest, InL1EqualsCentroidsOnTheSphereForThePapersBandwidths) {
  const auto y = balanced_labels(128, 10);
  const auto b = make_batch(random_unit_rows(128, 128, 5), y);
  const auto narrow = loss_of(projnce_perp(b, {.perp = {.nw = {.bandwidth = 1e-6}}}));
  for (const double h : {0.1, 0.5, 0.9}) {
    EXPECT_EQ(loss_of(projnce_perp(b, {.perp = {.nw = {.bandwidth = h}}})), narrow);
  }
  const auto wide = loss_of(
      projnce_perp(b, {.perp = {.nw = {.metric = kernel::Metric::kCosine, .bandwidth = 0.7}}}));
  EXPECT_GT(std::abs(wide - narrow), 0.1);
}

TEST_F(ProjncePerpTest, CriticOfOtherRowsIsTheirPerpVectors) {
  const auto rows = random_unit_rows(12, 6, 7);
  const auto labels = torch::arange(12).remainder(2);
  const projection::PerpOptions perp{.nw = {.metric = kernel::Metric::kCosine, .bandwidth = 0.7}};
  const auto critic = ProjncePerpLoss({.perp = perp}).critic(rows, labels, 3);
  const auto grouped = validate_batch(make_batch(rows, labels), GroupBy::kClass, "test");
  EXPECT_TRUE(torch::equal(critic.class_vectors.narrow(0, 0, 2),
                           project_perp(grouped.candidates, perp).vectors));
  EXPECT_TRUE(critic.class_vectors[2].isnan().all().item<bool>());
  EXPECT_FALSE(critic.compares_rows);
}

TEST_F(ProjncePerpTest, SupportsFloat32) {
  expect_float32_is_enough([](const ContrastiveBatch& b) { return projnce_perp(b).loss; });
}

TEST_F(ProjncePerpTest, HardLabelsNeedNoEstimate) {
  const ProjncePerpOptions hard{.perp = {.soft_source = projection::SoftSource::kHard}};
  const ProjncePerpOptions narrow{.perp = {.nw = {.bandwidth = 1e-6}}};
  EXPECT_NEAR(loss_of(projnce_perp(batch(), hard)), loss_of(projnce_perp(batch(), narrow)), 1e-12);
  const auto critic = ProjncePerpLoss(hard).critic(z_, y_, 3);
  EXPECT_FALSE(critic.class_vectors.defined() || critic.compares_rows) << "training centroids";
}

TEST_F(ProjncePerpTest, ErrorsNameTheInvalidOption) {
  EXPECT_THAT(error_message_of([] { ProjncePerpLoss({.perp = {.nw = {.bandwidth = 0}}}); }),
              HasSubstr("bandwidth = 0 must be a number above 0"));
  EXPECT_THAT(error_message_of([this] {
                projnce_perp(batch(), {.perp = {.soft_source = projection::SoftSource::kGiven}});
              }),
              AllOf(HasSubstr("no soft labels"), HasSubstr("nw")));
}

class ProjncePerpEdges : public ClassLossTest {};

TEST_F(ProjncePerpEdges, OneClassGivesLogNWithoutGradient) {
  expect_log_n_for_one_class([](const ContrastiveBatch& b) { return projnce_perp(b).loss; });
}

}  // namespace
}  // namespace projnce::testing
