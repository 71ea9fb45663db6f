#include "projnce/run/delivery.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/eval/nearest_centroid.h"
#include "projnce/run/training_summary.h"

namespace projnce::run {
namespace {

constexpr int64_t kClasses = 2;

inference::EmbeddedSet make_set(const torch::Tensor& rows, const torch::Tensor& labels) {
  return {.embeddings = rows,
          .features = rows,
          .labels = labels,
          .indices = torch::arange(rows.size(0))};
}

/// Points around four directions; opposite directions have the same class, so that nearest
/// neighbors separate the classes and centroids do not.
inference::EmbeddedSet opposite_directions(int64_t rows, uint64_t seed) {
  torch::manual_seed(seed);
  const auto direction = torch::arange(rows) % 4;
  const auto angle = direction.to(torch::kFloat32) * (M_PI / 2) + 0.2 * torch::randn({rows});
  return make_set(torch::stack({angle.cos(), angle.sin()}, 1), direction % 2);
}

inference::Evaluation make_evaluation(bool validation) {
  inference::Evaluation evaluation;
  auto& samples = evaluation.samples;
  samples.reference = opposite_directions(200, 1);
  samples.test = opposite_directions(100, 2);
  samples.num_classes = kClasses;
  samples.class_vectors =
      eval::class_centroids(samples.reference.embeddings, samples.reference.labels, kClasses);
  if (validation) {
    evaluation.validation = samples;
    evaluation.validation->test = opposite_directions(60, 3);
  }
  return evaluation;
}

TEST(MakeDelivery, ChoosesTheBestReadoutOnTheValidationSplit) {
  auto evaluation = make_evaluation(true);
  const auto delivery = make_delivery(
      evaluation, {}, {.epoch = 3, .epochs = 9, .rule = inference::EpochRule::kBestValidation});
  EXPECT_EQ(delivery.readout.protocol, eval::Protocol::kKnn);
  EXPECT_EQ(delivery.readout.reference_labels.size(0), 200);
  EXPECT_EQ(delivery.readout.knn.neighbors, 20);
  EXPECT_EQ(delivery.calibrated_on, "validation");
  const auto json = delivery_json(delivery);
  EXPECT_EQ(json.at("epoch"), 3);
  EXPECT_EQ(json.at("rule"), "best-validation");
  EXPECT_EQ(json.at("readout"), "knn");
  EXPECT_EQ(json.at("readout_text"), "k nearest neighbors");
  EXPECT_EQ(json.at("validation").at("samples"), 60);
  EXPECT_GT(json.at("top1").get<double>(), 0.95);
}

TEST(MakeDelivery, UsesTheDefaultReadoutAndCalibratesOnTestWithoutValidation) {
  auto evaluation = make_evaluation(false);
  auto delivery = make_delivery(evaluation, {}, {.epoch = 9, .epochs = 9});
  EXPECT_EQ(delivery.readout.protocol, eval::Protocol::kNearestCentroid);
  EXPECT_EQ(delivery.calibrated_on, "test");
  EXPECT_FALSE(delivery_json(delivery).contains("validation"));
  // Centroids are not informative here, so calibrated probabilities must be low.
  const auto probabilities = inference::readout_probabilities(
      delivery.readout,
      inference::protocol_scores(evaluation.samples, eval::Protocol::kNearestCentroid, {}));
  EXPECT_LT(probabilities.max().item<double>(), 0.8);

  evaluation.samples.learned_vectors = evaluation.samples.class_vectors;
  EXPECT_EQ(make_delivery(evaluation, {}, {}).readout.protocol, eval::Protocol::kProjection);
  evaluation.samples.logits = torch::zeros({100, kClasses});
  EXPECT_EQ(make_delivery(evaluation, {}, {}).readout.protocol, eval::Protocol::kLogits);
}

TEST(MakeDelivery, UsesTheRequestedReadout) {
  auto evaluation = make_evaluation(true);
  evaluation.samples.learned_vectors = evaluation.samples.class_vectors;
  EXPECT_EQ(make_delivery(evaluation, {.readout = "probe"}, {}).readout.protocol,
            eval::Protocol::kProbe);
  EXPECT_EQ(make_delivery(evaluation, {.readout = "paper"}, {}).readout.protocol,
            eval::Protocol::kNearestCentroid);
  EXPECT_THROW(make_delivery(evaluation, {.readout = "logits"}, {}), Error);
}

TEST(ReportedAccuracy, FollowsTheReportRule) {
  auto evaluation = make_evaluation(false);
  const auto delivery = make_delivery(evaluation, {}, {.epoch = 9, .epochs = 9});
  const RunProgress progress{.last_accuracy = 0.25, .best_accuracy = 0.75, .best_epoch = 4};
  const dataset::DatasetOptions clean;
  dataset::DatasetOptions noisy;
  noisy.label_noise.rate = 0.5;
  const double top1 = delivery.result.accuracy.top1;
  for (const auto& data : {clean, noisy}) {
    const auto delivered =
        reported_accuracy(delivery, progress, config::EvalReport::kDelivered, data);
    EXPECT_EQ(delivered.reported, top1);
    EXPECT_EQ(delivered.reported_epoch, "last");
  }
  const auto paper =
      reported_accuracy(delivery, progress, config::EvalReport::kBestTestEpoch, clean);
  EXPECT_EQ(paper.reported, 0.75);
  EXPECT_EQ(paper.reported_epoch, "best");
  EXPECT_EQ(paper.report, config::EvalReport::kBestTestEpoch);
  EXPECT_EQ(
      reported_accuracy(delivery, progress, config::EvalReport::kBestTestEpoch, noisy).reported,
      0.25);
}

TEST(FinalResults, ListsTheReadoutFirstAndCalibratesOnlyIt) {
  auto evaluation = make_evaluation(true);
  const config::EvalOptions options{.final_protocols = {"nearest-centroid", "knn"}};
  const auto delivery = make_delivery(evaluation, options, {.epoch = 9, .epochs = 9});
  const auto results = final_results(evaluation, options, delivery);
  ASSERT_EQ(results.protocols.size(), 2U);
  EXPECT_EQ(results.protocols[0].result.protocol, eval::Protocol::kKnn);
  EXPECT_TRUE(results.protocols[0].calibrated);
  EXPECT_EQ(results.protocols[0].result.calibration_error, delivery.calibration_error);
  EXPECT_EQ(results.protocols[1].result.protocol, eval::Protocol::kNearestCentroid);
  EXPECT_FALSE(results.protocols[1].calibrated);
  EXPECT_EQ(results.classes_with_samples, kClasses);
  EXPECT_EQ(results.classes_with_few_samples, 0);
  EXPECT_FALSE(results.information);
}

}  // namespace
}  // namespace projnce::run
