#include "projnce/loss/generalized_infonce.h"

#include <gtest/gtest.h>

#include "projnce/loss/projnce.h"
#include "projnce/projection/fixed.h"
#include "projnce/projection/median.h"
#include "projnce/projection/sample.h"
#include "tests/loss/loss_battery.h"

namespace projnce::testing {
namespace {

using namespace loss;

LossSettings generalized_infonce_settings() {
  LossSettings settings;
  const auto add = [&settings](const std::string& name, const projection::ProjectionPtr& pos,
                               const projection::ProjectionPtr& neg, Exclude denominator,
                               Exclude exclude, bool any_labels = true, bool rotates = true,
                               bool normalize_g = false) {
    const GeneralizedInfoNCEOptions options{.temperature = kTemperature,
                                            .beta = 2,
                                            .denominator = denominator,
                                            .r_exclude = exclude,
                                            .normalize_g = normalize_g};
    settings.push_back({name,
                        [pos, neg, options](const ContrastiveBatch& b) {
                          return GeneralizedInfoNCELoss(pos, neg, options).evaluate(b);
                        },
                        true, any_labels, rotates});
  };
  const auto sample = std::make_shared<projection::SampleProjection>();
  const auto centroid = std::make_shared<projection::CentroidProjection>();
  const auto full = std::make_shared<projection::CentroidProjection>(
      projection::CentroidOptions{.rows = projection::CentroidRows::kAll});
  const auto median = std::make_shared<projection::MedianProjection>();
  const auto fixed = std::make_shared<projection::FixedProjection>(
      projection::FixedOptions{.vectors = random_unit_rows(5, kBatteryDim, 98)});
  add("centroid_sample", centroid, sample, Exclude::kSelf, Exclude::kSelf);
  add("centroid_centroid", centroid, centroid, Exclude::kNone, Exclude::kSelf);
  add("full_sample", full, sample, Exclude::kNone, Exclude::kNone);
  add("sample_full", sample, full, Exclude::kSelf, Exclude::kSameClass);
  add("median_full", median, full, Exclude::kNone, Exclude::kSelf, true, false);
  add("fixed_sample", fixed, sample, Exclude::kSelf, Exclude::kSameClass, false, false);
  add("unit_centroid_sample", centroid, sample, Exclude::kSelf, Exclude::kSelf, true, true, true);
  add("unit_median_full", median, full, Exclude::kNone, Exclude::kSelf, true, false, true);
  return settings;
}

INSTANTIATE_LOSS_TESTS(GeneralizedInfoNCE, generalized_infonce_settings);

class GeneralizedInfoNCETest : public BalancedLossTest {};

TEST_F(GeneralizedInfoNCETest, CentroidsAgainstSamplesAreProjnce) {
  GeneralizedInfoNCELoss loss(std::make_shared<projection::CentroidProjection>(),
                              std::make_shared<projection::SampleProjection>(), {.beta = 3});
  const auto f = [&](const torch::Tensor& z) { return loss(z, y_); };
  const auto g = [&](const torch::Tensor& z) {
    return projnce(make_batch(z, y_), {.beta = 3}).loss;
  };
  EXPECT_NEAR(f(z_).item<double>(), g(z_).item<double>(), 1e-12);
  EXPECT_LT(largest_difference(gradient_of(f, z_), gradient_of(g, z_)), 1e-12);
}

TEST_F(GeneralizedInfoNCETest, UnitCentroidsAgainstSamplesAreProjnceWithUnitCentroids) {
  const auto y = torch::tensor({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 7});  // 7 is alone
  for (const auto rows : {projection::CentroidRows::kNotAnchor, projection::CentroidRows::kAll}) {
    const bool self = rows == projection::CentroidRows::kAll;
    for (const bool detach : {false, true}) {
      GeneralizedInfoNCELoss loss(std::make_shared<projection::CentroidProjection>(
                                      projection::CentroidOptions{.rows = rows, .detach = detach}),
                                  std::make_shared<projection::SampleProjection>(),
                                  {.beta = 3, .normalize_g = true});
      const auto f = [&](const torch::Tensor& z) { return loss(z, y); };
      const auto g = [&](const torch::Tensor& z) {
        return projnce(make_batch(z, y), {.beta = 3,
                                          .include_self_pos = self,
                                          .r_centroid = rows,
                                          .detach_centroid = detach,
                                          .normalize_g = true})
            .loss;
      };
      const auto long_rows = z_ * 1.3;  // samples are not scaled
      EXPECT_NEAR(f(long_rows).item<double>(), g(long_rows).item<double>(), 1e-12);
      EXPECT_LT(largest_difference(gradient_of(f, long_rows), gradient_of(g, long_rows)), 1e-12);
    }
  }
}

TEST_F(GeneralizedInfoNCETest, UnitVectorsAreWhatProjectionsGiveInUnitLength) {
  const auto vectors = random_normal(3, 6, 97);
  const auto sample = std::make_shared<projection::SampleProjection>();
  const auto fixed = [](const torch::Tensor& v) {
    return std::make_shared<projection::FixedProjection>(projection::FixedOptions{.vectors = v});
  };
  const auto unit = vectors / vectors.norm(2, 1, true);
  EXPECT_NEAR(
      GeneralizedInfoNCELoss(fixed(vectors), sample, {.normalize_g = true})(z_, y_).item<double>(),
      GeneralizedInfoNCELoss(fixed(unit), sample)(z_, y_).item<double>(), 1e-12);
}

TEST_F(GeneralizedInfoNCETest, RIsOneWithoutGradientIfBothProjectionsAgree) {
  const auto centroid = std::make_shared<projection::CentroidProjection>();
  const auto with = [&](double beta) {
    return [&, beta](const torch::Tensor& z) {
      return GeneralizedInfoNCELoss(centroid, centroid, {.beta = beta})(z, y_);
    };
  };
  EXPECT_NEAR(with(5)(z_).item<double>(), with(0)(z_).item<double>() + 5, 1e-12);
  EXPECT_LT(largest_difference(gradient_of(with(5), z_), gradient_of(with(0), z_)), 1e-12);
}

TEST_F(GeneralizedInfoNCETest, CriticIsMadeOfBothProjections) {
  const auto sample = std::make_shared<projection::SampleProjection>();
  const auto centroid = std::make_shared<projection::CentroidProjection>();
  const auto median = std::make_shared<projection::MedianProjection>();
  const auto critic_of = [&](const projection::ProjectionPtr& pos,
                             const projection::ProjectionPtr& neg) {
    return GeneralizedInfoNCELoss(pos, neg).critic(z_, y_, 4);
  };
  EXPECT_TRUE(critic_of(centroid, sample).compares_rows) << "as ProjNCE";
  const auto general = critic_of(median, sample);
  EXPECT_FALSE(general.compares_rows);
  EXPECT_EQ(general.class_vectors.size(0), 4);
  EXPECT_TRUE(torch::equal(general.negatives, z_));
  const auto same = critic_of(median, median);
  EXPECT_TRUE(same.class_vectors.defined());
  EXPECT_FALSE(same.negatives.defined() || same.compares_rows);
  EXPECT_EQ(critic_of(median, centroid).negatives.sizes(), z_.sizes());
  EXPECT_TRUE(critic_of(sample, median).compares_rows) << "no vector stands for a class";
  const auto unit =
      GeneralizedInfoNCELoss(centroid, sample, {.normalize_g = true}).critic(z_, y_, 3);
  EXPECT_FALSE(unit.compares_rows);
  EXPECT_TRUE(torch::equal(unit.negatives, z_));
  EXPECT_LT((unit.class_vectors.norm(2, 1) - 1).abs().max().item<double>(), 1e-12);
}

}  // namespace
}  // namespace projnce::testing
