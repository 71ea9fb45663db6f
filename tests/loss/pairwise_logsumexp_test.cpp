#include "projnce/loss/pairwise_logsumexp.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/normalization.h>

#include <cmath>
#include <limits>

#include "projnce/loss/sum_of_transform.h"
#include "tests/support/batches.h"
#include "tests/support/kernel_variants.h"

namespace projnce::loss {
namespace {

using testing::random_unit_rows;
using torch::Tensor;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Around the sizes of vectors, panels and tiles.
const std::vector<int64_t> kSizes = {1,  2,  7,  8,  9,   15,  16,  17,  47,  48,  49,  63,  64,
                                     65, 95, 96, 97, 143, 144, 145, 191, 192, 193, 385, 1000};

/// The definition: all scores at once, minus infinity where a pair does not count.
Tensor plain_scores(const PairOperands& pairs) {
  auto scores = pairs.anchors.mm(pairs.candidates.t()) * pairs.scale;
  if (pairs.bias.defined()) scores = scores + pairs.bias;
  if (!pairs.self) return scores;
  const auto self = torch::arange(pairs.num_anchors()) + *pairs.self;
  return scores.masked_fill(self.unsqueeze(1) == torch::arange(pairs.num_candidates()), -kInf);
}

Tensor plain_members(const PairOperands& pairs, int64_t set) {
  const auto counts = plain_scores(pairs) != -kInf;
  if (!pairs.split()) return counts;
  const auto same = pairs.anchor_class.unsqueeze(1) == pairs.candidate_class;
  return counts & (set == 0 ? same : ~same);
}

Tensor plain_logsumexp(const PairOperands& pairs) {
  std::vector<Tensor> by_set;
  for (int64_t set = 0; set < pairs.num_sets(); ++set) {
    by_set.push_back(
        plain_scores(pairs).masked_fill(~plain_members(pairs, set), -kInf).logsumexp(1));
  }
  return torch::stack(by_set);
}

Tensor plain_sum_of_transform(const PairOperands& pairs, const Transform& transform,
                              const Tensor& offset) {
  const auto members = plain_members(pairs, transform.negatives ? 1 : 0);
  const auto scores = plain_scores(pairs).masked_fill(~members, 0);
  const auto merged = torch::logaddexp(scores, offset.unsqueeze(1));
  const auto value =
      transform.q > 0 ? (transform.q * (merged + transform.shift)).expm1() / transform.q : merged;
  return value.masked_fill(~members, 0).sum(1);
}

/// Values and gradients of one computation, in float64.
struct Outcome {
  Tensor value;
  Tensor d_anchors;
  Tensor d_candidates;  // undefined in the symmetric case
  Tensor d_offset;
};

/// Gradients of the values that are finite, weighted by fixed numbers of either sign.
Tensor weighted(const Tensor& value) {
  const auto weights = torch::linspace(-1, 1.7, value.numel(), torch::kFloat64).view_as(value);
  return (torch::where(value == -kInf, torch::zeros_like(value), value) * weights).sum();
}

template <class Compute>
Outcome outcome_of(PairOperands pairs, torch::ScalarType type, const Compute& compute,
                   Tensor offset = {}) {
  pairs.anchors = pairs.anchors.to(type).detach().requires_grad_();
  pairs.candidates =
      pairs.symmetric ? pairs.anchors : pairs.candidates.to(type).detach().requires_grad_();
  if (pairs.bias.defined()) pairs.bias = pairs.bias.to(type);
  if (offset.defined()) offset = offset.to(type).detach().requires_grad_();
  const auto value = compute(pairs, offset).to(torch::kFloat64);
  weighted(value).backward();
  const auto grad = [](const Tensor& t) {
    if (!t.defined()) return Tensor();
    return (t.grad().defined() ? t.grad() : torch::zeros_like(t)).to(torch::kFloat64);
  };
  return {value.detach(), grad(pairs.anchors), pairs.symmetric ? Tensor() : grad(pairs.candidates),
          grad(offset)};
}

void expect_close(const Tensor& actual, const Tensor& expected, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(actual.defined(), expected.defined()) << what;
  if (!actual.defined()) return;
  ASSERT_TRUE(torch::equal(actual == -kInf, expected == -kInf)) << what << ": other empty sets";
  const auto a = actual.masked_fill(actual == -kInf, 0);
  const auto b = expected.masked_fill(expected == -kInf, 0);
  const double scale = std::max(1e-3, b.abs().max().item<double>());
  EXPECT_LE((a - b).abs().max().item<double>() / scale, tolerance) << what;
}

void expect_close(const Outcome& actual, const Outcome& expected, double tolerance,
                  const std::string& what) {
  expect_close(actual.value, expected.value, tolerance, what + ", value");
  expect_close(actual.d_anchors, expected.d_anchors, tolerance, what + ", anchors' gradient");
  expect_close(actual.d_candidates, expected.d_candidates, tolerance,
               what + ", candidates' gradient");
  expect_close(actual.d_offset, expected.d_offset, tolerance, what + ", offset's gradient");
}

struct Case {
  std::string name;
  PairOperands pairs;
};

Tensor labels_of(int64_t rows, int64_t classes) {
  return torch::arange(rows).mul(7).fmod(11).fmod(classes).to(torch::kInt64);
}

PairOperands against_themselves(const Tensor& rows, double temperature, const Tensor& labels) {
  return {.anchors = rows,
          .candidates = rows,
          .scale = 1 / temperature,
          .anchor_class = labels,
          .candidate_class = labels,
          .self = 0,
          .symmetric = true};
}

/// The rows from `offset` on are the anchors of a gathered batch.
PairOperands against_gathered(const Tensor& rows, int64_t offset, int64_t anchors,
                              double temperature, const Tensor& labels) {
  auto pairs = against_themselves(rows, temperature, labels);
  pairs.anchors = rows.narrow(0, offset, anchors);
  if (labels.defined()) pairs.anchor_class = labels.narrow(0, offset, anchors);
  pairs.self = offset;
  pairs.symmetric = false;
  return pairs;
}

/// Batches of every kind. Values are multiples of 2^-12, so that float32 and float64 get the same.
std::vector<Case> cases_of_size(int64_t rows, int64_t dim) {
  const auto grid = [](const Tensor& z) { return (z * 4096).round() / 4096; };
  const auto z = grid(random_unit_rows(rows, dim, 1));
  const auto labels = labels_of(rows, 5);
  const auto centers = random_unit_rows(5, dim, 2).index_select(0, labels);
  const auto clustered = grid(torch::nn::functional::normalize(
      centers + 0.3 * z, torch::nn::functional::NormalizeFuncOptions().dim(1)));
  const auto half = rows / 2;
  std::vector<Case> cases = {
      {"random", against_themselves(z, 0.07, {})},
      {"random by class", against_themselves(z, 0.07, labels)},
      {"clustered", against_themselves(clustered, 0.07, labels)},
      {"duplicates", against_themselves(z.narrow(0, 0, 1).repeat({rows, 1}), 0.1, labels)},
      {"one class", against_themselves(z, 0.2, torch::zeros_like(labels))},
      {"singletons", against_themselves(z, 0.2, torch::arange(rows))},
      {"small temperature", against_themselves(clustered, 0.004, labels)},
      {"huge norm", against_themselves(z * 64, 0.05, labels)},
      {"huge norm, one set", against_themselves(z * 64, 0.05, {})},
      {"gathered", against_gathered(clustered, half, rows - half, 0.07, labels)},
      {"gathered, one set", against_gathered(z, half / 2, rows - half, 0.07, {})},
      {"gathered, huge norm", against_gathered(z * 64, half / 2, rows - half, 0.05, labels)},
  };
  auto by_class = against_themselves(clustered, 0.07, labels);
  by_class.candidates = grid(random_unit_rows(5, dim, 3));
  by_class.candidate_class = torch::arange(5);
  by_class.bias = grid(torch::arange(1, 6).to(torch::kFloat64).log());
  by_class.self = {};
  by_class.symmetric = false;
  cases.push_back({"class vectors", by_class});
  return cases;
}

Outcome logsumexp_of(const PairOperands& pairs, torch::ScalarType type) {
  return outcome_of(pairs, type,
                    [](const PairOperands& p, const Tensor&) { return pairwise_logsumexp(p); });
}

Outcome plain_logsumexp_of(const PairOperands& pairs) {
  return outcome_of(pairs, torch::kFloat64,
                    [](const PairOperands& p, const Tensor&) { return plain_logsumexp(p); });
}

/// Scores of a thousand leave float32 four digits after the point in any implementation.
bool is_fit_for_float(const std::string& name) {
  return name.find("huge") == std::string::npos && name.find("small") == std::string::npos;
}

using KernelVariants = testing::KernelVariantTest;

TEST_P(KernelVariants, LogSumExpAgreesWithTheFormulaAtEverySize) {
  for (const auto size : kSizes) {
    for (const auto& [name, pairs] : cases_of_size(size, size % 3 == 0 ? 17 : 16)) {
      const auto what = name + " of " + std::to_string(size);
      const auto expected = plain_logsumexp_of(pairs);
      expect_close(logsumexp_of(pairs, torch::kFloat64), expected, 1e-12, what);
      if (!is_fit_for_float(name)) continue;
      expect_close(logsumexp_of(pairs, torch::kFloat32), expected, 2e-5, what + ", float32");
    }
  }
}

TEST_P(KernelVariants, LogSumExpAgreesWithTheFormulaInEveryDimension) {
  for (const int64_t dim : {1, 2, 3, 8, 31, 48, 100, 128, 129}) {
    for (const auto& [name, pairs] : cases_of_size(130, dim)) {
      const auto what = name + " in " + std::to_string(dim) + " dimensions";
      const auto expected = plain_logsumexp_of(pairs);
      expect_close(logsumexp_of(pairs, torch::kFloat64), expected, 1e-12, what);
      if (!is_fit_for_float(name)) continue;
      expect_close(logsumexp_of(pairs, torch::kFloat32), expected, 2e-5, what + ", float32");
    }
  }
}

TEST_P(KernelVariants, Float32IsFiniteForScoresOfAnySize) {
  for (const auto& [name, pairs] : cases_of_size(200, 24)) {
    if (is_fit_for_float(name)) continue;
    const auto plain = outcome_of(pairs, torch::kFloat32, [](const PairOperands& p, const Tensor&) {
      return plain_logsumexp(p);
    });
    expect_close(logsumexp_of(pairs, torch::kFloat32), plain, 5e-3, name);
  }
}

TEST_P(KernelVariants, TransformSumsAgreeWithTheFormula) {
  const std::vector<Transform> transforms = {{.negatives = false},
                                             {.negatives = true},
                                             {.q = 0.3},
                                             {.q = 1e-6, .shift = -2},
                                             {.negatives = true, .q = 0.5, .shift = -4.6}};
  for (const int64_t size : {1, 2, 48, 49, 65, 193, 400}) {
    for (const auto& [name, pairs] : cases_of_size(size, 16)) {
      if (!pairs.split() || pairs.bias.defined() || !is_fit_for_float(name)) continue;
      auto offset = torch::linspace(-6, 12, pairs.num_anchors(), torch::kFloat64);
      offset[0] = -kInf;
      for (const auto& transform : transforms) {
        const auto what =
            name + " of " + std::to_string(size) + ", q " + std::to_string(transform.q);
        const auto compute = [&](const PairOperands& p, const Tensor& l) {
          return sum_of_transform(p, transform, l);
        };
        const auto plain = [&](const PairOperands& p, const Tensor& l) {
          return plain_sum_of_transform(p, transform, l);
        };
        const auto expected = outcome_of(pairs, torch::kFloat64, plain, offset);
        expect_close(outcome_of(pairs, torch::kFloat64, compute, offset), expected, 1e-12, what);
        expect_close(outcome_of(pairs, torch::kFloat32, compute, offset), expected, 2e-5,
                     what + ", float32");
      }
    }
  }
}

TEST_P(KernelVariants, TheNumberOfThreadsChangesNothing) {
  const int before = at::get_num_threads();
  for (const auto& [name, pairs] : cases_of_size(500, 20)) {
    at::set_num_threads(1);
    const auto one = logsumexp_of(pairs, torch::kFloat32);
    for (const int threads : {2, 3}) {
      at::set_num_threads(threads);
      const auto many = logsumexp_of(pairs, torch::kFloat32);
      EXPECT_TRUE(torch::equal(one.value, many.value)) << name << ", " << threads << " threads";
      EXPECT_TRUE(torch::equal(one.d_anchors, many.d_anchors)) << name;
      EXPECT_TRUE(pairs.symmetric || torch::equal(one.d_candidates, many.d_candidates)) << name;
    }
  }
  at::set_num_threads(before);
}

INSTANTIATE_KERNEL_VARIANTS(KernelVariants);

TEST(ChunkedPairs, AgreeWithTheFormula) {
  const ForcedPairEngine force(PairEngine::kChunks);
  for (const int64_t size : {1, 2, 65, 700}) {
    for (const auto& [name, pairs] : cases_of_size(size, 16)) {
      const auto what = name + " of " + std::to_string(size);
      const auto expected = plain_logsumexp_of(pairs);
      expect_close(logsumexp_of(pairs, torch::kFloat64), expected, 1e-12, what);
      if (!is_fit_for_float(name)) continue;
      expect_close(logsumexp_of(pairs, torch::kFloat32), expected, 2e-5, what + ", float32");
      if (!pairs.split() || pairs.bias.defined()) continue;
      const Transform transform{.q = 0.3, .shift = -1};
      auto offset = torch::linspace(-6, 12, pairs.num_anchors(), torch::kFloat64);
      offset[0] = -kInf;
      expect_close(
          outcome_of(
              pairs, torch::kFloat64,
              [&](const auto& p, const Tensor& l) { return sum_of_transform(p, transform, l); },
              offset),
          outcome_of(
              pairs, torch::kFloat64,
              [&](const auto& p, const Tensor& l) {
                return plain_sum_of_transform(p, transform, l);
              },
              offset),
          1e-12, what + ", transform");
    }
  }
}

TEST(PairwiseLogSumExp, IsNotFiniteWhereARowIsNot) {
  for (const auto engine : {PairEngine::kTiles, PairEngine::kChunks}) {
    const ForcedPairEngine force(engine);
    for (const double bad : {std::nan(""), kInf}) {
      auto rows = random_unit_rows(100, 8, 1);
      rows[3][2] = bad;
      const auto result = pairwise_logsumexp(against_themselves(rows, 0.1, labels_of(100, 3)));
      EXPECT_FALSE(torch::isfinite(result).all().item<bool>());
    }
  }
}

TEST(PairwiseLogSumExp, RejectsASecondDerivative) {
  auto rows = random_unit_rows(10, 4, 1).requires_grad_();
  const auto sum = pairwise_logsumexp(against_themselves(rows, 0.1, {})).sum();
  EXPECT_ANY_THROW(torch::autograd::grad({sum}, {rows}, {}, true, /*create_graph=*/true));
}

}  // namespace
}  // namespace projnce::loss
