#include "projnce/eval/audit/audit.h"

#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "projnce/eval/audit/fold_data.h"
#include "projnce/eval/audit/held_out_scores.h"
#include "tests/support/error_message.h"

namespace projnce::eval {
namespace {

using testing::error_message_of;

/// Clusters of samples, one per class, some with wrong labels.
struct Planted {
  torch::Tensor rows;
  torch::Tensor truth;
  torch::Tensor given;
};

/// Seeds LibTorch's generator, also for the label noise drawn later.
Planted clusters(int64_t count, int64_t classes, double spread, int64_t dim = 16) {
  torch::manual_seed(7);
  const auto truth = torch::arange(count).remainder(classes);
  const auto places = torch::randn({classes, dim});
  return {.rows = places.index_select(0, truth) + spread * torch::randn({count, dim}),
          .truth = truth,
          .given = truth.clone()};
}

/// Replaces each label by another one with probability `rate`.
Planted with_uniform_noise(Planted data, int64_t classes, double rate) {
  const auto picked = torch::rand({data.truth.size(0)}).lt(rate);
  const auto shift = torch::randint(1, classes, {data.truth.size(0)});
  data.given = torch::where(picked, (data.truth + shift).remainder(classes), data.truth);
  return data;
}

AuditScore checked(const Planted& data, const AuditResult& result) {
  return score_audit(result, data.given, data.truth);
}

/// Calibration error of the score: gap to the fraction of wrong labels, averaged over ten bins.
double score_calibration_error(const Planted& data, const AuditResult& result) {
  const auto wrong = data.given.ne(data.truth).to(torch::kDouble);
  const auto bin = (result.score * 10).floor().clamp_max(9);
  double error = 0;
  for (int b = 0; b < 10; ++b) {
    error += ((result.score - wrong) * bin.eq(b)).sum().abs().item<double>();
  }
  return error / static_cast<double>(data.given.size(0));
}

TEST(Audit, FindsPlantedNoiseAndItsRate) {
  for (const double rate : {0.2, 0.4}) {
    const auto data = with_uniform_noise(clusters(1000, 5, 0.6), 5, rate);
    const auto result = audit_labels(data.rows, data.given, 5);
    const auto score = checked(data, result);
    EXPECT_GT(score.average_precision, 0.98) << rate;
    EXPECT_GT(score.precision, 0.95) << rate;
    EXPECT_GT(score.recall, 0.95) << rate;
    EXPECT_GT(score.corrected, 0.95) << rate;
    EXPECT_EQ(score.worst_wrong, 100) << rate;
    EXPECT_NEAR(result.noise_rate, static_cast<double>(score.wrong) / 1000, 0.015) << rate;
  }
}

TEST(Audit, ScoresAreCalibratedIfClassesOverlap) {
  const auto data = with_uniform_noise(clusters(2000, 4, 1.6), 4, 0.3);
  const auto result = audit_labels(data.rows, data.given, 4);
  EXPECT_LT(score_calibration_error(data, result), 0.04);
  EXPECT_GE(result.score.min().item<double>(), 0);
  EXPECT_LE(result.score.max().item<double>(), 1);
}

TEST(Audit, RecoversThePatternOfMistakes) {
  auto data = clusters(1200, 6, 0.9);
  const auto wrong = torch::rand({1200}).lt(0.25);
  data.given = torch::where(wrong, (data.truth + 1).remainder(6), data.truth);
  const auto result = audit_labels(data.rows, data.given, 6);
  EXPECT_GT(checked(data, result).average_precision, 0.97);
  const auto expected = torch::eye(6, torch::kDouble) * 0.75 +
                        torch::eye(6, torch::kDouble).roll(1, /*dims=*/1) * 0.25;
  EXPECT_LT((result.noise_matrix - expected).abs().max().item<double>(), 0.12)
      << result.noise_matrix;
}

double largest_flagged_share(const Planted& data, const AuditResult& result) {
  double largest = 0;
  for (int64_t c = 0; c < 8; ++c) {
    const auto scores = result.score.masked_select(data.given.eq(c));
    largest = std::max(largest, scores.gt(kFlagged).to(torch::kDouble).mean().item<double>());
  }
  return largest;
}

/// Overlapping clusters of decreasing size.
Planted unequal_overlap(int64_t classes, double spread) {
  const auto data = clusters(3000, classes, spread, 10);
  const auto kept = torch::rand({3000}).lt((data.truth * -0.5).exp()).nonzero().squeeze(1);
  const auto rows = data.rows.index({kept});
  const auto truth = data.truth.index({kept});
  return {.rows = rows, .truth = truth, .given = truth.clone()};
}

/// Replaces each label by that of the next class with the same probability.
Planted with_next_class(Planted data, int64_t classes, double rate) {
  const auto wrong = torch::rand({data.truth.size(0)}).lt(rate);
  data.given = torch::where(wrong, (data.truth + 1).remainder(classes), data.truth);
  return data;
}

TEST(Audit, FindsAPatternAmongUnequalClassesThatOverlap) {
  const auto data = with_next_class(unequal_overlap(8, 2.0), 8, 0.2);
  const auto result = audit_labels(data.rows, data.given, 8);
  EXPECT_GT(checked(data, result).average_precision, 0.7);  // self-confidence: below 0.5
  EXPECT_NEAR(result.noise_rate, 0.2, 0.06);
}

TEST(Audit, DoesNotMistakeOverlapForAPattern) {
  const auto data = unequal_overlap(8, 2.0);
  const auto result = audit_labels(data.rows, data.given, 8);
  EXPECT_LT(result.skill.accuracy, 0.7);
  EXPECT_LT(result.noise_rate, 0.01);
  EXPECT_LT(largest_flagged_share(data, result), 0.05);
}

TEST(Audit, RanksOneSidedMistakesOfTwoClassesWithoutFlaggingThem) {
  double sum = 0;
  for (const int seed : {1, 2, 3, 4, 5}) {
    torch::manual_seed(seed);
    const auto truth = torch::arange(100).remainder(2);
    const auto places = torch::randn({2, 64}) * 0.45;
    Planted data{.rows = places.index_select(0, truth) + torch::randn({100, 64}),
                 .truth = truth,
                 .given = truth.clone()};
    data.given = torch::where(truth.eq(0) & torch::rand({100}).lt(0.4), 1, truth);
    const auto result = audit_labels(data.rows, data.given, 2);
    sum += checked(data, result).average_precision;
    EXPECT_LT(result.flagged, 30);
  }
  EXPECT_GT(sum / 5, 0.65);
}

TEST(Audit, DoesNotFlagCleanLabels) {
  for (const double spread : {0.5, 1.5}) {
    const auto data = clusters(1000, 5, spread);
    const auto result = audit_labels(data.rows, data.given, 5);
    EXPECT_LT(result.noise_rate, 0.02) << spread;
    EXPECT_LT(result.flagged, 10) << spread;
  }
}

TEST(Audit, IsInvariantToScaleAndOrigin) {
  const auto data = with_uniform_noise(clusters(600, 3, 0.6), 3, 0.2);
  const auto plain = audit_labels(data.rows, data.given, 3);
  for (const auto& rows : {data.rows * 1e4 + 3e4, data.rows * 1e-6, data.rows * 1e30}) {
    const auto other = audit_labels(rows.to(torch::kDouble), data.given, 3);
    EXPECT_LT((other.score - plain.score).abs().max().item<double>(), 0.02);
  }
}

TEST(Audit, SupportsManySmallAndUnequalClasses) {
  const auto many = with_uniform_noise(clusters(600, 30, 0.5, 32), 30, 0.2);
  EXPECT_GT(checked(many, audit_labels(many.rows, many.given, 30)).average_precision, 0.95);

  auto tail = with_uniform_noise(clusters(2000, 4, 0.6), 4, 0.15);
  const auto kept = (tail.truth.ne(3) | torch::arange(2000).lt(80)).nonzero().squeeze(1);
  tail = {.rows = tail.rows.index({kept}),
          .truth = tail.truth.index({kept}),
          .given = tail.given.index({kept})};
  EXPECT_GT(checked(tail, audit_labels(tail.rows, tail.given, 4)).average_precision, 0.95);
}

/// L2-normalized rows of eight separable classes with 30 to 2 % of the samples.
Planted unequal_classes(int64_t count) {
  torch::manual_seed(11);
  const auto shares =
      torch::tensor({.3, .2, .15, .1, .1, .08, .05, .02}, torch::kDouble).expand({count, 8});
  const auto truth = torch::multinomial(shares, 1).squeeze(1);
  const auto rows = torch::randn({8, 64}).index_select(0, truth) * 0.6 + torch::randn({count, 64});
  return {.rows = torch::nn::functional::normalize(rows), .truth = truth, .given = truth.clone()};
}

TEST(Audit, DoesNotFlagSmallClassesOfCleanData) {
  const auto data = unequal_classes(1500);
  const auto result = audit_labels(data.rows, data.given, 8);
  EXPECT_LT(largest_flagged_share(data, result), 0.05);
  EXPECT_LT(result.noise_rate, 0.01);
}

TEST(Audit, FindsWrongLabelsAmongUnequalClasses) {
  const auto data = with_uniform_noise(unequal_classes(1500), 8, 0.1);
  const auto result = audit_labels(data.rows, data.given, 8);
  const auto score = checked(data, result);
  EXPECT_GT(score.average_precision, 0.95);
  EXPECT_NEAR(result.noise_rate, static_cast<double>(score.wrong) / 1500, 0.03);
}

TEST(Audit, ReportsThatRandomRowsAreNotInformative) {
  for (const int64_t count : {80, 500}) {
    torch::manual_seed(3);
    const auto labels = torch::arange(count).remainder(10);
    const auto result = audit_labels(torch::randn({count, 64}), labels, 10);
    EXPECT_FALSE(result.skill.informative) << count;
    EXPECT_EQ(result.flagged, 0) << count;
    EXPECT_TRUE(std::isnan(result.noise_rate)) << count;
    EXPECT_TRUE(std::isnan(result.expected_precision)) << count;
    EXPECT_NEAR(result.skill.chance_accuracy, 0.1, 1e-9) << count;
    EXPECT_LT(result.skill.accuracy, 0.3) << count;
  }
}

/// Clusters that several classes share, so that the features do not separate those classes.
Planted shared_clusters(int64_t count, int64_t classes, int64_t shared_by) {
  auto data = clusters(count, classes, 1.0);
  const int64_t places = classes / shared_by;
  data.rows = 2 * torch::randn({places, 16}).index_select(0, data.truth.remainder(places)) +
              torch::randn({count, 16});
  return data;
}

TEST(Audit, DoesNotFlagClassesThatTheFeaturesDoNotSeparate) {
  for (const auto& [count, classes, shared_by] :
       {std::array<int64_t, 3>{1000, 10, 2}, {600, 6, 3}, {120, 30, 15}}) {
    const auto data = shared_clusters(count, classes, shared_by);
    const auto result = audit_labels(data.rows, data.given, classes);
    EXPECT_LE(static_cast<double>(result.flagged), 0.08 * static_cast<double>(count)) << classes;
  }
}

TEST(Audit, FindsWrongLabelsBetweenSeparableClassesOnly) {
  const auto data = with_uniform_noise(shared_clusters(1000, 10, 2), 10, 0.2);
  const auto result = audit_labels(data.rows, data.given, 10);
  EXPECT_GT(checked(data, result).precision, 0.9);
  EXPECT_GT(result.flagged, 120);
  const auto others = data.truth.ne(data.given) & data.truth.sub(data.given).remainder(5).ne(0);
  EXPECT_NEAR(result.noise_rate, others.to(torch::kDouble).mean().item<double>(), 0.03);
}

TEST(Audit, ExpectedPrecisionMatchesThePrecision) {
  for (const double spread : {0.8, 1.6}) {
    const auto data = with_uniform_noise(clusters(1500, 5, spread), 5, 0.2);
    const auto result = audit_labels(data.rows, data.given, 5);
    EXPECT_TRUE(result.skill.informative);
    EXPECT_NEAR(result.expected_precision, checked(data, result).precision, 0.06) << spread;
  }
}

TEST(Audit, SupportsVeryFewSamples) {
  const auto data = with_uniform_noise(clusters(60, 3, 0.4), 3, 0.15);
  const auto score = checked(data, audit_labels(data.rows, data.given, 3));
  EXPECT_EQ(score.worst, 60);
  EXPECT_GT(score.average_precision, 0.9);
  const auto few = clusters(4, 2, 0.1);  // fewer than folds
  EXPECT_EQ(audit_labels(few.rows, few.given, 2).flagged, 0);
}

TEST(Audit, DoesNotFlagTheOnlySampleOfAClass) {
  auto data = clusters(200, 2, 0.3);
  data.given[17] = 2;
  const auto result = audit_labels(data.rows, data.given, 4);
  EXPECT_LT(result.score[17].item<double>(), 0.1);
  EXPECT_EQ(result.suggested[17].item<int64_t>(), 2);
  EXPECT_EQ(result.noise_matrix[3][3].item<double>(), 1);  // a class without samples
}

TEST(Audit, IsDeterministicForAnyNumberOfThreads) {
  const int before = torch::get_num_threads();
  const auto data = with_uniform_noise(clusters(400, 4, 1.0), 4, 0.3);
  torch::set_num_threads(1);
  const auto one = audit_labels(data.rows, data.given, 4);
  for (const int threads : {2, 3}) {
    torch::set_num_threads(threads);
    const auto other = audit_labels(data.rows, data.given, 4);
    EXPECT_TRUE(torch::equal(one.score, other.score));
    EXPECT_TRUE(torch::equal(one.noise_matrix, other.noise_matrix));
  }
  torch::set_num_threads(before);
  const auto other_folds = audit_labels(data.rows, data.given, 4, {.seed = 1});
  EXPECT_FALSE(torch::equal(one.score, other_folds.score));
}

TEST(Audit, RejectsInvalidInput) {
  torch::manual_seed(12);
  const auto rows = torch::randn({6, 2});
  const auto labels = torch::tensor({0, 1, 0, 1, 0, 1});
  const auto error_of = [](const torch::Tensor& e, const torch::Tensor& l,
                           AuditOptions options = {}) {
    return error_message_of([&] { audit_labels(e, l, 2, options); });
  };
  EXPECT_NE(error_of(rows, labels.narrow(0, 0, 5)).find("one row per label"), std::string::npos);
  EXPECT_NE(error_of(rows, labels + 1).find("label"), std::string::npos);
  EXPECT_NE(error_of(rows, torch::zeros_like(labels)).find("same label"), std::string::npos);
  EXPECT_NE(error_of(torch::ones({6, 2}), labels).find("all embeddings are equal"),
            std::string::npos);
  EXPECT_NE(error_of(rows, labels, {.folds = 1}).find("folds = 1, expected at least 2"),
            std::string::npos);
  EXPECT_NE(error_of(rows.narrow(0, 0, 0), labels.narrow(0, 0, 0)).find("no samples"),
            std::string::npos);
  auto broken = rows.clone();
  broken[4][1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(error_of(broken, labels).find("row 4"), std::string::npos);
}

TEST(AuditScore, MatchesManualCounts) {
  AuditResult result;
  result.score = torch::tensor({0.9, 0.8, 0.8, 0.4, 0.1}, torch::kDouble);
  result.suggested = torch::tensor({1, 1, 0, 0, 0});
  const auto given = torch::tensor({0, 0, 1, 0, 0});
  const auto truth = torch::tensor({1, 0, 0, 1, 0});  // samples 0, 2 and 3 are wrong
  const auto score = score_audit(result, given, truth);
  EXPECT_EQ(score.wrong, 3);
  EXPECT_DOUBLE_EQ(score.precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(score.recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(score.corrected, 2.0 / 3);
  // Sample 0 ranks 1st; 1 and 2 are tied, 2 of 3 are wrong; 3 ranks 4th with 3 of 4 wrong.
  EXPECT_DOUBLE_EQ(score.average_precision, (1 + 2.0 / 3 + 3.0 / 4) / 3);
  EXPECT_EQ(score.worst_wrong, 3);
  EXPECT_EQ(worst_first(result.score), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(std::isnan(score_audit(result, given, given).average_precision));
}

/// 100 samples predicted as the first of two classes, with increasing confidence; those listed have
/// the other label.
struct OnALine {
  FoldData data;
  HeldOutScores scores;
};

OnALine on_a_line(const std::vector<int>& mislabeled) {
  OnALine line{.data = {}, .scores = {.logits = {}, .fit = {.best = NoiseModel(2, 0.1)}}};
  for (int k = 0; k < 100; ++k) {
    line.scores.logits.insert(line.scores.logits.end(), {0.1F * static_cast<float>(k), 0.0F});
    const bool wrong = std::find(mislabeled.begin(), mislabeled.end(), k) != mislabeled.end();
    line.data.labels.push_back(wrong);
  }
  line.data.rows = torch::zeros({100, 1});
  line.data.class_counts = {100 - int64_t(mislabeled.size()), int64_t(mislabeled.size())};
  return line;
}

TEST(PatternWeight, FlatnessComparesConfidentSamplesWithAll) {
  const auto flatness = [](const std::vector<int>& mislabeled) {
    const auto line = on_a_line(mislabeled);
    return flatness_of_mistakes(line.data, line.scores);
  };
  EXPECT_EQ(flatness({}), 0);
  EXPECT_EQ(flatness({0, 3, 10, 50}), 0);  // none among the surest 30 %
  EXPECT_NEAR(flatness({5, 15, 25, 35, 45, 55, 65, 75, 85, 95}), 1, 1e-9);
  EXPECT_NEAR(flatness({99, 98, 97}), 1 / 0.3, 1e-9);
}

TEST(PatternWeight, RequiresLessLikelihoodIfMistakesAreFlat) {
  const auto weight = [](const std::vector<int>& mislabeled, double gain) {
    auto line = on_a_line(mislabeled);
    line.scores.fit.held_out_samples = 1000;
    auto better = line.scores;
    better.fit.held_out = line.scores.fit.held_out + gain;
    return pattern_weight(line.data, line.scores, better);
  };
  const std::vector<int> flat = {5, 15, 25, 35, 45, 55, 65, 75, 85, 95};
  const std::vector<int> near_the_border = {0, 3, 10, 50};
  EXPECT_EQ(weight(flat, 50), 1);
  EXPECT_LT(weight(near_the_border, 50), 0.25);
  EXPECT_NEAR(weight(flat, 2), 0.25, 1e-9);  // below 4 nats is not significant
  EXPECT_EQ(weight(flat, -10), 0.01);        // never 0, so that the pattern still ranks
}

TEST(Folds, AreStratifiedByClass) {
  std::vector<int64_t> labels(103);
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = i < 100 ? int64_t(i % 3) : 3 + int64_t(i == 102);
  const auto fold = stratified_folds(labels, 5, 5, 1);
  std::vector<std::vector<int>> count(5, std::vector<int>(5, 0));
  for (size_t i = 0; i < labels.size(); ++i) {
    ++count[static_cast<size_t>(labels[i])][static_cast<size_t>(fold[i])];
  }
  for (size_t c = 0; c < 3; ++c) {
    for (const int members : count[c]) EXPECT_NEAR(members, 100.0 / 15, 1);
  }
  EXPECT_LE(*std::max_element(count[3].begin(), count[3].end()), 1);  // two samples, two folds
  EXPECT_NE(fold, stratified_folds(labels, 5, 5, 2));
}

}  // namespace
}  // namespace projnce::eval
