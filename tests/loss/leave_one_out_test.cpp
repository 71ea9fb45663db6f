#include "projnce/loss/leave_one_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "projnce/information/mi_bounds.h"
#include "projnce/loss/projnce_perp.h"
#include "tests/loss/loss_battery.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ProjncePerpOptions instance_options(PriorSource priors = PriorSource::kBatch,
                                    projection::SoftSource source = projection::SoftSource::kHard) {
  return {.temperature = 0.3,
          .perp = {.soft_source = source},
          .leave_one_out = LeaveOneOut::kInstance,
          .priors = priors};
}

/// Two views of twelve samples in four classes.
class LeaveOneOutTest : public ::testing::Test {
 protected:
  ContrastiveBatch batch() const { return make_batch(z_, y_, instances_); }

  torch::Tensor z_ = random_unit_rows(24, 5, 61);
  torch::Tensor y_ = torch::tensor({0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 0}).repeat({2});
  torch::Tensor instances_ = torch::arange(12).repeat({2}) * 7 - 3;
  torch::Tensor priors_ = torch::tensor({.4, .1, .3, .2}, torch::kFloat64);
};

/// Mean of the rows of other instances than row i's by class, [C, D]; NaN for a class without any.
torch::Tensor centroids_without(const torch::Tensor& z, const torch::Tensor& y,
                                const torch::Tensor& instances, int64_t i, int64_t classes) {
  auto means = torch::full({classes, z.size(1)}, kNan, torch::kFloat64);
  for (int64_t c = 0; c < classes; ++c) {
    const auto rows = ((y == c) & (instances != instances[i])).nonzero().squeeze(1);
    if (rows.size(0) > 0) means[c] = z.index_select(0, rows).mean(0);
  }
  return means;
}

TEST_F(LeaveOneOutTest, IsTheNormalizedPairFormIfEveryClassOccurs) {
  const information::LabeledRows rows{z_, y_, instances_};
  for (const auto priors : {PriorSource::kTraining, PriorSource::kUniform}) {
    information::ClassPriors known{.num_classes = 4};
    if (priors == PriorSource::kTraining) known.values = priors_;
    const auto bound =
        information::pair_bound(rows, {.temperature = 0.3, .priors = known, .batches = 1});
    auto anchors = batch();
    anchors.reduction = Reduction::kNone;
    const auto loss = projnce_perp(anchors, instance_options(priors), priors_).loss;
    EXPECT_LT(largest_difference(-loss, bound.normalized_terms), 1e-12);
    EXPECT_NEAR(-loss.mean().item<double>(), bound.normalized, 1e-12);
  }
}

TEST_F(LeaveOneOutTest, IsTheClassFormWithVectorsOfOtherInstances) {
  // Class 4 has one instance and class 5 no rows at all.
  y_ = torch::tensor({0, 1, 2, 3, 0, 1, 2, 3, 0, 4, 0, 0}).repeat({2});
  const auto priors = torch::tensor({.2, .1, .3, .2, .15, .05}, torch::kFloat64);
  auto anchors = batch();
  anchors.reduction = Reduction::kNone;
  const auto loss = projnce_perp(anchors, instance_options(PriorSource::kTraining), priors).loss;
  for (int64_t i = 0; i < z_.size(0); ++i) {
    const auto vectors = centroids_without(z_, y_, instances_, i, 6);
    const auto bound = information::class_bound(
        {z_.narrow(0, i, 1), y_.narrow(0, i, 1)}, vectors,
        {.temperature = 0.3, .priors = {.num_classes = 6, .values = priors}});
    EXPECT_NEAR(-loss[i].item<double>(), bound.value, 1e-12) << i;
  }
}

TEST_F(LeaveOneOutTest, HardLabelsAndOneHotSoftLabelsAgree) {
  for (const auto priors : {PriorSource::kBatch, PriorSource::kUniform, PriorSource::kTraining}) {
    for (const bool unit : {false, true}) {
      const auto value = [&](projection::SoftSource source) {
        auto options = instance_options(priors, source);
        options.normalize_g = unit;
        return [this, options](const torch::Tensor& z) {
          auto rows = make_batch(z, y_, instances_);
          rows.candidate_soft_labels = torch::one_hot(y_, 4).to(torch::kFloat64);
          return projnce_perp(rows, options, priors_).loss;
        };
      };
      const auto hard = value(projection::SoftSource::kHard);
      const auto soft = value(projection::SoftSource::kGiven);
      EXPECT_NEAR(hard(z_).item<double>(), soft(z_).item<double>(), 1e-12);
      EXPECT_LT(largest_difference(gradient_of(hard, z_), gradient_of(soft, z_)), 1e-12);
    }
  }
}

TEST_F(LeaveOneOutTest, WithoutInstancesEveryRowIsOne) {
  const auto rows = make_batch(z_, y_, torch::arange(24));
  EXPECT_EQ(loss_of(projnce_perp(make_batch(z_, y_), instance_options())),
            loss_of(projnce_perp(rows, instance_options())));
  EXPECT_GT(loss_of(projnce_perp(rows, instance_options())),
            loss_of(projnce_perp(rows, {.temperature = 0.3, .perp = instance_options().perp})) -
                std::log(24.0))
      << "the anchor in its own class vector makes the loss smaller";
}

TEST_F(LeaveOneOutTest, DegenerateBatchesHaveNoTerms) {
  struct Case {
    const char* name;
    torch::Tensor labels, instances;
    double valid;
  };
  const auto one = torch::zeros({4}, torch::kInt64);
  const auto each = torch::arange(4);
  const std::vector<Case> cases = {
      {"one class", one, each, 1},
      {"one instance", one, one, 0},
      {"each class one row", each, each, 0},
      {"each class two views of one instance", torch::tensor({0, 1, 0, 1}),
       torch::tensor({5, 6, 5, 6}), 0},
      {"one class, two views", one, torch::tensor({5, 6, 5, 6}), 1},
  };
  for (const auto source : {projection::SoftSource::kHard, projection::SoftSource::kGiven}) {
    for (const auto& [name, labels, instances, valid] : cases) {
      auto rows = make_batch(z_.narrow(0, 0, 4), labels, instances);
      rows.candidate_soft_labels = torch::one_hot(labels, 4).to(torch::kFloat64);
      const auto value = projnce_perp(rows, instance_options(PriorSource::kBatch, source));
      EXPECT_NEAR(loss_of(value), 0, 1e-15) << name;
      EXPECT_EQ(part(value, "valid_anchors"), valid) << name;
    }
    auto single = make_batch(z_.narrow(0, 0, 1), torch::tensor({2}));
    single.candidate_soft_labels = torch::one_hot(torch::tensor({2}), 4).to(torch::kFloat64);
    EXPECT_EQ(loss_of(projnce_perp(single, instance_options(PriorSource::kBatch, source))), 0);
  }
}

TEST_F(LeaveOneOutTest, AZeroClassVectorStaysZero) {
  // Classes 0 and 1 are rows and their opposites: whichever instance is excluded, some vector is 0.
  const auto half = random_unit_rows(2, 5, 62);
  const auto z = torch::cat({half, -half, half, -half, half}).narrow(0, 0, 9);
  const auto y = torch::tensor({0, 1, 0, 1, 0, 1, 0, 1, 0});
  for (const auto source : {projection::SoftSource::kHard, projection::SoftSource::kGiven}) {
    auto options = instance_options(PriorSource::kBatch, source);
    options.normalize_g = true;
    const auto f = [&](const torch::Tensor& x) {
      auto rows = make_batch(x, y);
      rows.candidate_soft_labels = torch::one_hot(y, 2).to(torch::kFloat64);
      return projnce_perp(rows, options).loss;
    };
    EXPECT_TRUE(std::isfinite(f(z).item<double>()));
    EXPECT_TRUE(torch::isfinite(gradient_of(f, z)).all().item<bool>());
  }
}

TEST_F(LeaveOneOutTest, PartsSumToTheLossAndCountValidAnchors) {
  y_ = torch::tensor({0, 1, 2, 3, 0, 1, 2, 3, 0, 4, 0, 0}).repeat({2});
  const auto value = projnce_perp(batch(), instance_options());
  EXPECT_NEAR(part(value, "alignment") + part(value, "uniformity"), loss_of(value), 1e-12);
  EXPECT_NEAR(part(value, "valid_anchors"), 22.0 / 24, 1e-12);
}

TEST_F(LeaveOneOutTest, Float32AndHalfPrecisionAreEnough) {
  expect_float32_is_enough([](const ContrastiveBatch& b) {
    auto rows = b;  // 64 instances, whose two views have different labels
    rows.anchor_instances = rows.candidate_instances = torch::arange(128);
    return projnce_perp(rows, instance_options()).loss;
  });
  const auto half = make_batch(z_.to(torch::kBFloat16), y_, instances_);
  const auto value = projnce_perp(half, instance_options()).loss;
  EXPECT_EQ(value.scalar_type(), torch::kFloat32);
  EXPECT_NEAR(value.item<double>(), loss_of(projnce_perp(batch(), instance_options())), 0.02);
}

TEST_F(LeaveOneOutTest, RejectsInvalidPriors) {
  const auto with = [this](const torch::Tensor& priors) {
    return error_message_of(
        [&] { projnce_perp(batch(), instance_options(PriorSource::kTraining), priors); });
  };
  EXPECT_THAT(with({}), HasSubstr("priors 'training' needs class_priors"));
  EXPECT_THAT(with(priors_ * 1.01), HasSubstr("sum to 1.01, expected 1"));
  EXPECT_THAT(with(torch::tensor({.5, -.1, .3, .3})), HasSubstr("negative or not finite"));
  EXPECT_THAT(with(torch::tensor({.5, .5, 0., 0.})), HasSubstr("the prior of class 2 is 0"));
  EXPECT_THAT(with(torch::tensor({.5, .5})), HasSubstr("label 3 is outside 0..1"));
  EXPECT_THAT(with(torch::tensor({1, 0})), HasSubstr("expected a list of numbers"));
  EXPECT_THAT(error_message_of([] { ProjncePerpLoss(instance_options(PriorSource::kTraining)); }),
              HasSubstr("needs class_priors"));
  auto soft = batch();
  soft.candidate_soft_labels = torch::one_hot(y_, 5).to(torch::kFloat64);
  EXPECT_THAT(error_message_of([&] {
                projnce_perp(
                    soft, instance_options(PriorSource::kTraining, projection::SoftSource::kGiven),
                    priors_);
              }),
              HasSubstr("there are 4 class priors, expected 5"));
}

TEST_F(LeaveOneOutTest, RejectsOptionsThatContradict) {
  auto options = instance_options();
  options.denominator = Exclude::kSelf;
  EXPECT_THAT(error_message_of([&] { ProjncePerpLoss{options}; }),
              AllOf(HasSubstr("exclude_self"), HasSubstr("set denominator to 'all'")));
  EXPECT_THAT(error_message_of([] { ProjncePerpLoss({.priors = PriorSource::kUniform}); }),
              HasSubstr("belong to leave_one_out = 'instance'"));
}

TEST_F(LeaveOneOutTest, RejectsInstancesThatDoNotMatch) {
  auto rows = batch();
  rows.anchor_instances = rows.candidate_instances = instances_.narrow(0, 0, 20);
  EXPECT_THAT(error_message_of([&] { projnce_perp(rows, instance_options()); }),
              HasSubstr("anchor_instances have shape [20], expected [24]"));
  rows = batch();
  rows.anchor_instances = torch::Tensor();
  EXPECT_THAT(error_message_of([&] { projnce_perp(rows, instance_options()); }),
              HasSubstr("no anchor_instances"));
  y_[13] = 3;
  EXPECT_THAT(error_message_of([&] { projnce_perp(batch(), instance_options()); }),
              AllOf(HasSubstr("another view of its instance"), HasSubstr("soft_source 'given'")));
}

}  // namespace
}  // namespace projnce::testing
