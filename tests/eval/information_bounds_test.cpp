#include "projnce/eval/information_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

#include "projnce/eval/nearest_centroid.h"
#include "tests/support/batches.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace eval;

using ::testing::HasSubstr;

/// Rows around one center for each class; `spread` 0.3 separates them well.
information::LabeledRows clusters(int64_t count, int64_t classes, double spread, uint64_t seed) {
  const auto labels = torch::arange(count).remainder(classes);
  const auto centers = random_unit_rows(classes, 8, 5);
  auto rows = centers.index_select(0, labels) + spread * random_unit_rows(count, 8, seed);
  return {rows / rows.norm(2, 1, true), labels};
}

torch::Tensor centroids_of(const information::LabeledRows& rows, int64_t classes) {
  return class_centroids(rows.embeddings, rows.labels, classes);
}

TEST(FittedTemperature, MaximizesTheClassForm) {
  const auto rows = clusters(600, 3, 1.5, 6);
  const information::ClassPriors priors{.num_classes = 3, .values = torch::tensor({.5, .3, .2})};
  const auto vectors = centroids_of(rows, 3);
  const double best = fit_class_temperature(rows.embeddings, rows.labels, vectors, priors);
  const auto value_at = [&](double temperature) {
    return information::class_bound(rows, vectors, {.temperature = temperature, .priors = priors})
        .value;
  };
  EXPECT_GT(value_at(best), value_at(best * 1.1));
  EXPECT_GT(value_at(best), value_at(best / 1.1));
}

TEST(FittedTemperature, SkipsClassesWithoutVector) {
  const auto rows = clusters(300, 3, 1.0, 7);
  auto vectors = centroids_of(rows, 3);
  vectors[1].fill_(std::numeric_limits<double>::quiet_NaN());
  const information::ClassPriors priors{.num_classes = 3};
  const double found = fit_class_temperature(rows.embeddings, rows.labels, vectors, priors);
  EXPECT_TRUE(std::isfinite(found) && found > 0);
}

TEST(HeldOutBounds, HaveTheRequestedForms) {
  const auto train = clusters(400, 4, 0.5, 8);
  const auto test = clusters(1200, 4, 0.5, 9);
  const information::ClassPriors priors{.num_classes = 4};
  const auto all = held_out_bounds({.rows = test,
                                    .class_vectors = centroids_of(train, 4),
                                    .reference_rows = train.embeddings,
                                    .reference_labels = train.labels},
                                   priors, 0.1);
  for (const auto& bound : {all.pair, all.pair_normalized, all.by_class, all.by_class_fitted}) {
    ASSERT_TRUE(bound.has_value());
    EXPECT_GT(bound->value, 0.5);
    EXPECT_LE(bound->value, std::log(4.0));
    EXPECT_TRUE(bound->se.has_value());
  }
  EXPECT_EQ(all.rows, 1200);
  EXPECT_NEAR(all.entropy, std::log(4.0), 1e-12);
  const auto logits = test.embeddings.mm(centroids_of(train, 4).t()) / 0.1;
  const auto classifier =
      held_out_bounds({.rows = test, .logits = logits, .pairs = false}, priors, 1);
  EXPECT_NEAR(classifier.by_class->value, all.by_class->value, 1e-12);
  EXPECT_FALSE(classifier.pair || classifier.pair_normalized || classifier.by_class_fitted);
}

TEST(CrossValidatedBounds, ApproachTheEntropyOfSeparatedClasses) {
  const auto rows = clusters(500, 5, 0.4, 10);
  for (const bool estimated : {false, true}) {
    const auto bounds =
        cross_validated_bounds(rows, {.priors = {.num_classes = 5, .estimated = estimated}});
    EXPECT_GT(bounds.by_class_fitted->value, 1.4);
    EXPECT_LE(bounds.by_class_fitted->value, bounds.entropy);
    EXPECT_LE(bounds.pair->value, bounds.pair_normalized->value);
    EXPECT_LE(bounds.pair_normalized->value, bounds.entropy);
    EXPECT_EQ(bounds.rows, 500);
    for (const auto& bound : {bounds.pair, bounds.by_class, bounds.by_class_fitted}) {
      EXPECT_GT(bound->se.value(), 0);
    }
  }
}

TEST(CrossValidatedBounds, KeepViewsOfAnInstanceTogether) {
  torch::manual_seed(5);
  // Two equal rows per sample with random labels: sharing samples between folds leaks the labels.
  const auto once = random_unit_rows(200, 32, 11);
  const auto labels = torch::randint(50, {200}, torch::kInt64);
  const information::LabeledRows views{once.repeat({2, 1}), labels.repeat({2}),
                                       torch::arange(200).repeat({2})};
  const CrossValidationOptions options{.priors = {.num_classes = 50}};
  const auto bounds = cross_validated_bounds(views, options);
  for (const auto& bound : {bounds.pair, bounds.pair_normalized, bounds.by_class}) {
    EXPECT_LE(bound->value, 0);
  }
  EXPECT_GT(cross_validated_bounds({views.embeddings, views.labels}, options).by_class->value, 0.1)
      << "without ids the folds share samples";
}

TEST(CrossValidatedBounds, RequireTwoFoldsWithAtLeastOneInstanceEach) {
  const auto rows = clusters(6, 2, 0.4, 12);
  EXPECT_THAT(error_message_of([&] {
                cross_validated_bounds(rows, {.folds = 7, .priors = {.num_classes = 2}});
              }),
              HasSubstr("folds = 7 must be between 2 and the 6 instances"));
  EXPECT_NO_THROW(cross_validated_bounds(rows, {.folds = 6, .priors = {.num_classes = 2}}));
}

}  // namespace
}  // namespace projnce::testing
