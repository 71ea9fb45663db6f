#include "projnce/information/mi_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/batches.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace information;

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

torch::Tensor list_of(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64);
}

BoundOptions options_for(int64_t classes, double temperature) {
  return {.temperature = temperature, .priors = {.num_classes = classes}, .batches = 1};
}

double dot_of(const torch::Tensor& a, const torch::Tensor& b) {
  return (a * b).sum().item<double>();
}

/// T_i and T'_i of one row from its ratios r(c), by their definition.
struct NaiveTerms {
  double term;
  double normalized;
};

NaiveTerms terms_of(const std::vector<double>& ratios, const torch::Tensor& priors, int64_t own) {
  double sum = 0;
  for (size_t c = 0; c < ratios.size(); ++c) {
    sum += priors[static_cast<int64_t>(c)].item<double>() * ratios[c];
  }
  const double log_own = std::log(ratios[static_cast<size_t>(own)]);
  return {1 + log_own - sum, log_own - std::log(sum)};
}

/// The pair form by a double loop over rows.
NaiveTerms naive_pair_terms(const LabeledRows& rows, const torch::Tensor& priors, int64_t i,
                            double temperature) {
  const auto id = [&](int64_t k) {
    return rows.instances.defined() ? rows.instances[k].item<int64_t>() : k;
  };
  const auto& z = rows.embeddings;
  std::vector<torch::Tensor> sums(static_cast<size_t>(priors.size(0)), torch::zeros_like(z[0]));
  std::vector<double> counts(sums.size(), 0);
  double exponentials = 0;
  double others = 0;
  for (int64_t k = 0; k < z.size(0); ++k) {
    if (id(k) == id(i)) continue;
    const auto c = static_cast<size_t>(rows.labels[k].item<int64_t>());
    sums[c] = sums[c] + z[k];
    counts[c] += 1;
    exponentials += std::exp(dot_of(z[i], z[k]) / temperature);
    others += 1;
  }
  std::vector<double> ratios(sums.size(), 1);
  for (size_t c = 0; c < sums.size(); ++c) {
    if (counts[c] == 0) continue;
    ratios[c] = std::exp(dot_of(z[i], sums[c] / counts[c]) / temperature) / (exponentials / others);
  }
  return terms_of(ratios, priors, rows.labels[i].item<int64_t>());
}

void expect_pair_terms(const LabeledRows& rows, const BoundOptions& options) {
  const auto result = pair_bound(rows, options);
  const auto priors = checked_priors(options.priors, rows.labels);
  for (int64_t i = 0; i < rows.labels.size(0); ++i) {
    const auto naive = naive_pair_terms(rows, priors, i, options.temperature);
    EXPECT_NEAR(result.terms[i].item<double>(), naive.term, 1e-10) << "row " << i;
    EXPECT_NEAR(result.normalized_terms[i].item<double>(), naive.normalized, 1e-10) << "row " << i;
  }
  EXPECT_LE(result.value, result.normalized + 1e-12);  // equal up to rounding
  EXPECT_LE(result.normalized, result.entropy + 1e-12);
}

TEST(PairBound, MatchesTheDoubleLoop) {
  torch::manual_seed(4);
  for (const int64_t count : {3, 17, 70, 300}) {
    const auto z = random_unit_rows(count, 5, 40 + count);
    const auto labels = torch::randint(7, {count}, torch::kInt64);
    for (const double temperature : {0.1, 1.0}) {
      auto options = options_for(7, temperature);
      expect_pair_terms({z, labels}, options);
      options.priors.values = list_of({.1, .2, .05, .15, .3, .1, .1});
      expect_pair_terms({z * 1.5, labels}, options);
      // Instances of several sizes, in any order, whose rows may differ in class.
      expect_pair_terms({z, labels, torch::randint(-5, count / 2 - 5, {count}, torch::kInt64)},
                        options);
    }
  }
}

TEST(PairBound, HandlesScoresThatOverflowExponentials) {
  const auto z = random_unit_rows(40, 4, 9);
  const auto labels = torch::arange(40).remainder(3);
  const auto instances = torch::arange(40).remainder(20);
  const auto result = pair_bound({z, labels, instances}, options_for(3, 1e-4));
  EXPECT_TRUE(torch::isfinite(result.terms).all().item<bool>());
  EXPECT_TRUE(torch::isfinite(result.normalized_terms).all().item<bool>());
  EXPECT_LE(result.normalized, std::log(3.0));
  // A class that is absent must not add a rounding error to a small sum of ratios: with priors of
  // 1/3 three times, all present, 1 minus their sum is not 0.
  EXPECT_LT(result.mean_ratio.min().item<double>(), 1e-30);
  // Rounding errors of these scores are in the thousands: ratios keep to Jensen's limit.
  const auto row = 1 / torch::arange(1, 4, torch::kFloat64);
  for (const int64_t count : {20, 40, 41}) {
    const LabeledRows same{row.expand({count, 3}), torch::arange(count).remainder(3)};
    EXPECT_TRUE(std::isfinite(pair_bound(same, options_for(3, 1e-20)).value)) << count;
  }
}

TEST(PairBound, DegenerateBatchesHaveKnownValues) {
  const auto value_of = [](const LabeledRows& rows, int64_t classes) {
    const auto result = pair_bound(rows, options_for(classes, 0.1));
    EXPECT_TRUE(torch::isfinite(result.terms).all().item<bool>());
    return std::pair(result.value, result.normalized);
  };
  const auto zero = std::pair(0.0, 0.0);
  EXPECT_EQ(value_of({random_unit_rows(1, 3, 1), torch::tensor({1})}, 2), zero);
  const auto pair = random_unit_rows(2, 3, 2);
  EXPECT_EQ(value_of({pair, torch::tensor({0, 1}), torch::tensor({7, 7})}, 2), zero)
      << "all rows of one instance";
  for (const auto& labels : {torch::tensor({0, 1}), torch::tensor({1, 1})}) {
    const auto [value, normalized] = value_of({pair, labels}, 3);
    EXPECT_NEAR(value, 0, 1e-14) << "two instances with one row each";
    EXPECT_NEAR(normalized, 0, 1e-14);
  }
  const auto equal = torch::ones({6, 2}, torch::kFloat64);
  const auto [same, same_normalized] = value_of({equal, torch::arange(6).remainder(2)}, 2);
  EXPECT_NEAR(same, 0, 1e-13) << "identical rows";
  EXPECT_NEAR(same_normalized, 0, 1e-13);
  const auto one_class = torch::zeros({9}, torch::kInt64);
  const auto [one, one_normalized] = value_of({random_unit_rows(9, 3, 3), one_class}, 1);
  EXPECT_LT(one, 0);
  EXPECT_NEAR(one_normalized, 0, 1e-13);
  EXPECT_NEAR(
      class_bound({pair, one_class.slice(0, 0, 2)}, pair.slice(0, 0, 1), options_for(1, 1)).value,
      0, 1e-13);
  // An anchor whose class no other instance has: log r = 0.
  const auto alone =
      pair_bound({random_unit_rows(4, 3, 5), torch::tensor({2, 0, 0, 1})}, options_for(3, 0.1));
  EXPECT_EQ(alone.log_ratio[0].item<double>(), 0);
}

/// Two views of 256 samples with random labels: no information.
LabeledRows random_labels_of_two_views(int64_t classes, int64_t seed) {
  torch::manual_seed(static_cast<uint64_t>(seed));
  const auto base = random_unit_rows(256, 128, 2 * seed).repeat({2, 1});
  const auto views =
      std::sqrt(0.5) * base + std::sqrt(0.5) * random_unit_rows(512, 128, 2 * seed + 1);
  return {views / views.norm(2, 1, true), torch::randint(classes, {256}, torch::kInt64).repeat({2}),
          torch::arange(256).repeat({2})};
}

TEST(PairBound, RandomLabelsWithManyClassesAndTwoViewsAreNotInformative) {
  constexpr int64_t kDraws = 16;
  for (const int64_t classes : {2, 100, 1000}) {
    std::vector<double> normalized;
    for (int64_t draw = 0; draw < kDraws; ++draw) {
      const auto rows = random_labels_of_two_views(classes, 10 + draw);
      const auto result = pair_bound(rows, options_for(classes, 0.07));
      EXPECT_LE(result.value, 0) << classes << " classes";
      normalized.push_back(result.normalized);
    }
    // One draw may exceed 0 by chance; the mean may not by more than four standard errors.
    const auto values = torch::tensor(normalized, torch::kFloat64);
    const auto se = values.std().item<double>() / std::sqrt(static_cast<double>(kDraws));
    EXPECT_LE(values.mean().item<double>(), 4 * se + 0.001) << classes << " classes";
    if (classes < 100) continue;
    // Excluding the row only, not its instance, exceeds the information: the draws detect it.
    const auto rows = random_labels_of_two_views(classes, 10);
    const auto wrong = pair_bound({rows.embeddings, rows.labels}, options_for(classes, 0.07));
    EXPECT_GT(wrong.normalized, 0.3) << classes << " classes";
  }
}

TEST(PairBound, SeparatedClassesDoNotExceedTheirEntropy) {
  torch::manual_seed(2);
  const auto labels = torch::randint(100, {512}, torch::kInt64);
  const auto z = torch::eye(100, torch::kFloat64).index_select(0, labels);
  const auto result = pair_bound({z, labels}, options_for(100, 0.07));
  EXPECT_LE(result.value, result.normalized);
  EXPECT_LE(result.normalized, std::log(100.0));
  EXPECT_GT(result.normalized, 4.5);
}

TEST(PairBound, AveragesDisjointBatchesOfInstances) {
  torch::manual_seed(3);
  const auto z = random_unit_rows(1200, 3, 21);
  const auto labels = torch::randint(3, {1200}, torch::kInt64);
  auto options = options_for(3, 0.5);
  EXPECT_FALSE(pair_bound({z, labels}, options).se.has_value());
  options.batches = 0;
  const auto result = pair_bound({z, labels}, options);
  ASSERT_TRUE(result.se.has_value()) << "two batches of 600 instances";
  EXPECT_GT(*result.se, 0);
  EXPECT_EQ(result.rows, 1200);
  EXPECT_NEAR(result.value, pair_bound({z, labels}, options_for(3, 0.5)).value, 0.05);
  EXPECT_EQ(result.value, pair_bound({z, labels}, options).value) << "the same seed";
  // Views of one instance are in one batch: batches of one instance have nothing to compare.
  options.batches = 4;
  const auto instances = torch::arange(1200).remainder(4);
  EXPECT_EQ(pair_bound({z, labels, instances}, options).value, 0);
  options.batches = 5;
  EXPECT_THAT(error_message_of([&] {
                pair_bound({z, labels, instances}, options);
              }),
              HasSubstr("batches = 5 must be between 0 and the 4 instances"));
}

TEST(ClassBound, MatchesItsFormulaAlsoWithoutSomeVectors) {
  const auto z = random_unit_rows(8, 4, 31);
  const auto labels = torch::tensor({0, 1, 2, 3, 0, 1, 2, 3});
  auto vectors = random_unit_rows(4, 4, 32);
  auto options = options_for(4, 0.3);
  const auto priors = list_of({.4, .3, .2, .1});
  options.priors.values = priors;
  for (const bool missing : {false, true}) {
    if (missing) vectors[1].fill_(kNan);
    const auto result = class_bound({z, labels}, vectors, options);
    for (int64_t i = 0; i < 8; ++i) {
      double sum = 0;
      double known = 0;
      for (int64_t c = 0; c < 4; ++c) {
        if (missing && c == 1) continue;
        sum += priors[c].item<double>() * std::exp(dot_of(z[i], vectors[c]) / 0.3);
        known += priors[c].item<double>();
      }
      const auto own = labels[i].item<int64_t>();
      const double expected =
          missing && own == 1 ? 0 : dot_of(z[i], vectors[own]) / 0.3 - std::log(sum / known);
      EXPECT_NEAR(result.terms[i].item<double>(), expected, 1e-12);
    }
    EXPECT_EQ(result.value, result.normalized);
    const auto deviation = result.terms.std(/*unbiased=*/true).item<double>();
    EXPECT_NEAR(*result.se, deviation / std::sqrt(8.0), 1e-12);
    EXPECT_LE(result.value, result.entropy);
  }
  vectors.fill_(kNan);
  EXPECT_EQ(class_bound({z, labels}, vectors, options).value, 0) << "no class has a vector";
}

TEST(ClassBound, OfLogitsIsEntropyMinusCrossEntropy) {
  const auto logits = 3 * random_unit_rows(6, 3, 33);
  const auto labels = torch::tensor({0, 1, 2, 2, 1, 0});
  const auto result = class_bound_from_logits(logits, labels, {.num_classes = 3});
  const auto cross_entropy =
      -logits.log_softmax(1).gather(1, labels.unsqueeze(1)).mean().item<double>();
  EXPECT_NEAR(result.value, std::log(3.0) - cross_entropy, 1e-12);
  EXPECT_THAT(error_message_of([&] {
                class_bound_from_logits(logits, torch::zeros({6}, torch::kInt64),
                                        {.num_classes = 3, .values = list_of({1, 0, 0})});
              }),
              HasSubstr("priors above 0 for every class"));
}

TEST(ClassBound, StandardErrorCountsViewsOfAnInstanceOnce) {
  const auto z = random_unit_rows(50, 3, 35);
  const auto labels = torch::arange(50).remainder(2);
  const auto vectors = random_unit_rows(2, 3, 36);
  const auto once = class_bound({z, labels}, vectors, options_for(2, 0.5));
  const auto twice =
      class_bound({z.repeat({2, 1}), labels.repeat({2}), torch::arange(50).repeat({2})}, vectors,
                  options_for(2, 0.5));
  EXPECT_NEAR(*twice.se, *once.se, 1e-12);
  EXPECT_FALSE(
      class_bound({z.narrow(0, 0, 1), labels.narrow(0, 0, 1)}, vectors, options_for(2, 0.5))
          .se.has_value());
}

TEST(GeneralBound, MatchesItsFormula) {
  const auto z = random_unit_rows(7, 3, 41);
  const auto labels = torch::tensor({0, 1, 2, 0, 1, 2, 0});
  const auto vectors = 2 * random_unit_rows(3, 3, 42);
  const auto negatives = random_unit_rows(5, 3, 43);
  const auto instances = torch::tensor({0, 0, 1, 2, 2, 3, 4});
  const auto priors = torch::full({3}, 1.0 / 3, torch::kFloat64);
  for (const bool given : {true, false}) {
    const auto result = general_bound({z, labels, instances}, vectors,
                                      given ? negatives : torch::Tensor(), options_for(3, 0.4));
    const auto& candidates = given ? negatives : z;
    for (int64_t i = 0; i < 7; ++i) {
      double sum = 0;
      double count = 0;
      for (int64_t k = 0; k < candidates.size(0); ++k) {
        if (!given && instances[k].item<int64_t>() == instances[i].item<int64_t>()) continue;
        sum += std::exp(dot_of(z[i], candidates[k]) / 0.4);
        count += 1;
      }
      std::vector<double> ratios;
      for (int64_t c = 0; c < 3; ++c) {
        ratios.push_back(std::exp(dot_of(z[i], vectors[c]) / 0.4) / (sum / count));
      }
      const auto naive = terms_of(ratios, priors, labels[i].item<int64_t>());
      EXPECT_NEAR(result.terms[i].item<double>(), naive.term, 1e-11);
      EXPECT_NEAR(result.normalized_terms[i].item<double>(), naive.normalized, 1e-11);
    }
    EXPECT_EQ(result.se.has_value(), given) << "rows of the batch are shared by the terms";
  }
}

TEST(EstimatedPriors, CostTheirDivergenceFromTheFrequencies) {
  const auto z = random_unit_rows(6, 3, 51);
  const auto labels = torch::tensor({0, 0, 0, 0, 1, 1});
  auto options = options_for(3, 0.3);
  options.priors.values = list_of({.5, .3, .2});
  const auto known = pair_bound({z, labels}, options);
  options.priors.estimated = true;
  const auto estimated = pair_bound({z, labels}, options);
  const double divergence = 2.0 / 3 * std::log((2.0 / 3) / .5) + 1.0 / 3 * std::log((1.0 / 3) / .3);
  EXPECT_NEAR(estimated.correction, divergence, 1e-14);
  EXPECT_NEAR(estimated.value, known.value - divergence, 1e-13);
  EXPECT_NEAR(estimated.normalized, known.normalized - divergence, 1e-13);
  EXPECT_NEAR(estimated.entropy, -(2.0 / 3 * std::log(2.0 / 3) + 1.0 / 3 * std::log(1.0 / 3)),
              1e-14);
  EXPECT_TRUE(torch::equal(estimated.terms, known.terms));
}

TEST(EstimatedPriors, AreSmoothedFrequencies) {
  const auto priors = smoothed_priors(torch::tensor({0, 2, 2}), 3);
  EXPECT_TRUE(priors.estimated);
  EXPECT_TRUE(torch::allclose(priors.values, list_of({1.5 / 4.5, 0.5 / 4.5, 2.5 / 4.5})));
}

TEST(Bounds, RejectInvalidInput) {
  const auto z = random_unit_rows(4, 3, 61);
  const auto labels = torch::tensor({0, 1, 2, 1});
  const auto says = [&](const LabeledRows& rows, const BoundOptions& options) {
    return error_message_of([&] { pair_bound(rows, options); });
  };
  const auto with_priors = [&](const std::vector<double>& values) {
    auto options = options_for(3, 0.1);
    options.priors.values = list_of(values);
    return says({z, labels}, options);
  };
  EXPECT_THAT(with_priors({.5, .3, .1}), HasSubstr("sum to 0.9, expected 1"));
  EXPECT_THAT(with_priors({.5, .5, 0}), HasSubstr("prior of class 2 is 0"));
  EXPECT_THAT(with_priors({.5, .5}), HasSubstr("expected 3 numbers"));
  EXPECT_THAT(with_priors({.5, .8, -.3}), HasSubstr("negative or not finite"));
  EXPECT_THAT(with_priors({.5, .5, kNan}), HasSubstr("negative or not finite"));
  EXPECT_THAT(says({z, labels}, options_for(2, 0.1)), HasSubstr("label 2 is outside 0..1"));
  EXPECT_THAT(says({z, labels - 1}, options_for(3, 0.1)), HasSubstr("label -1 is outside 0..2"));
  EXPECT_THAT(says({z, labels}, options_for(0, 0.1)), HasSubstr("expected 1 to 10000000"));
  EXPECT_THAT(says({z, labels}, options_for(1L << 40, 0.1)), HasSubstr("= 1099511627776"));
  for (const double wrong : {0.0, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(says({z, labels}, options_for(3, wrong)), HasSubstr("temperature"));
  }
  auto broken = z.clone();
  broken[2][0] = kNan;
  EXPECT_THAT(says({broken, labels}, options_for(3, 0.1)),
              HasSubstr("row 2 of embeddings has a value that is not finite"));
  EXPECT_THAT(says({z * 1e160, labels}, options_for(3, 0.1)), HasSubstr("exceed"));
  EXPECT_THAT(says({z.narrow(0, 0, 0), labels.narrow(0, 0, 0)}, options_for(3, 0.1)),
              HasSubstr("at least one row"));
  EXPECT_THAT(says({z, labels.narrow(0, 0, 2)}, options_for(3, 0.1)),
              HasSubstr("labels has 2 entries, expected 4"));
  EXPECT_THAT(says({z, labels, torch::arange(3)}, options_for(3, 0.1)),
              HasSubstr("instances has 3 entries, expected 4"));
}

TEST(Bounds, RejectInvalidClassVectors) {
  const auto z = random_unit_rows(4, 3, 71);
  const auto labels = torch::tensor({0, 1, 2, 1});
  const auto says = [&](const torch::Tensor& vectors) {
    return error_message_of([&] { class_bound({z, labels}, vectors, options_for(3, 0.1)); });
  };
  EXPECT_THAT(says({}), HasSubstr("class vectors are none, expected [3, 3]"));
  EXPECT_THAT(says(z.narrow(0, 0, 2)), HasSubstr("class vectors are [2, 3], expected [3, 3]"));
  auto broken = z.narrow(0, 0, 3).clone();
  broken[1][2] = kNan;
  EXPECT_THAT(says(broken), HasSubstr("class vector 1 has a value that is not finite"));
  EXPECT_THAT(
      error_message_of([&] {
        general_bound({z, labels}, z.narrow(0, 0, 3), z.narrow(1, 0, 2), options_for(3, 0.1));
      }),
      HasSubstr("negatives have 2 columns, expected 3"));
}

TEST(Bounds, FloatRowsAreComputedInDouble) {
  const auto z = random_unit_rows(30, 6, 81).to(torch::kFloat32);
  const auto labels = torch::arange(30).remainder(3);
  const auto single = pair_bound({z, labels}, options_for(3, 0.05));
  const auto doubled = pair_bound({z.to(torch::kFloat64), labels}, options_for(3, 0.05));
  EXPECT_EQ(single.value, doubled.value);
  EXPECT_EQ(single.terms.scalar_type(), torch::kFloat64);
}

}  // namespace
}  // namespace projnce::testing
