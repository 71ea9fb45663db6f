#include "projnce/loss/supcon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/loss/loss_battery.h"
#include "tests/loss/naive_pairs.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings supcon_settings() {
  LossSettings settings;
  const auto add = [&settings](const std::string& name, SupConOptions options,
                               bool differentiable = true) {
    options.temperature = kTemperature;
    settings.push_back({name, [options](const ContrastiveBatch& b) { return supcon(b, options); },
                        differentiable});
  };
  add("out", {});
  add("in", {.variant = SupConVariant::kIn});
  add("self_pos", {.include_self_pos = true});
  add("self_denom", {.include_self_denom = true});
  add("in_self",
      {.variant = SupConVariant::kIn, .include_self_pos = true, .include_self_denom = true});
  add("skip", {.empty_positives = EmptyPositives::kSkip});
  add("base", {.base_temperature = 0.07});
  add("detach", {.detach_pos = true}, false);
  add("in_detach", {.variant = SupConVariant::kIn, .detach_pos = true}, false);
  return settings;
}

INSTANTIATE_LOSS_TESTS(SupCon, supcon_settings);

class SupConTest : public PairLossTest {};

TEST_F(SupConTest, MatchesTheFormulaPairByPair) {
  for (const double t : {0.1, 0.5, 5.0}) {
    for (const auto variant : {SupConVariant::kOut, SupConVariant::kIn}) {
      for (const bool self_pos : {false, true}) {
        for (const bool self_denom : {false, true}) {
          const SupConOptions options{.temperature = t,
                                      .variant = variant,
                                      .include_self_pos = self_pos,
                                      .include_self_denom = self_denom,
                                      .empty_positives = EmptyPositives::kSkip};
          const auto expected = naive_supcon(z_, y_, options);
          EXPECT_NEAR(loss_of(supcon(batch(), options)), expected,
                      1e-12 * std::max(1.0, std::abs(expected)));
        }
      }
    }
  }
}

TEST_F(SupConTest, IsCallableWithEmbeddingsAndLabels) {
  SupConLoss loss({.temperature = 0.2});
  const auto expected = loss_of(supcon(batch(), {.temperature = 0.2}));
  EXPECT_EQ(loss(z_, y_).item<double>(), expected);
  EXPECT_EQ(loss(batch()).item<double>(), expected);
  EXPECT_EQ(loss.forward(z_, y_).item<double>(), expected);
}

TEST_F(SupConTest, ExcludesTheAnchorItself) {
  const auto equal = z_.narrow(0, 0, 1).expand({12, 5}).contiguous();
  const auto same = torch::zeros_like(y_);
  EXPECT_NEAR(loss_of(supcon(make_batch(equal, same))), log_others_, 1e-10);
  // Two rows of one class: the only candidate is the positive.
  const auto pair = make_batch(z_.narrow(0, 0, 2), torch::tensor({4, 4}));
  EXPECT_NEAR(loss_of(supcon(pair)), 0, 1e-14);
}

TEST_F(SupConTest, LeaveOneOutDividesByOneLess) {
  // Three equal rows of one class and an orthogonal one: the others' mean is the row itself.
  auto z = torch::zeros({4, 3}, torch::kFloat64);
  z.narrow(0, 0, 3).select(1, 0).fill_(1);
  z[3][1] = 1;
  const auto b = make_batch(z, torch::tensor({0, 0, 0, 1}));
  const SupConOptions options{.temperature = 0.5, .empty_positives = EmptyPositives::kSkip};
  EXPECT_NEAR(part(supcon(b, options), "alignment"), -2, 1e-14);
}

TEST_F(SupConTest, IsZeroIfEveryClassHasOneRow) {
  const auto b = make_batch(z_.narrow(0, 0, 4), torch::tensor({0, 1, 2, 3}));
  EXPECT_EQ(loss_of(supcon(b)), 0);
}

TEST_F(SupConTest, SkippingEmptyPositivesDividesByTheValidAnchors) {
  const auto zero = loss_of(supcon(batch(), {.temperature = 0.5}));
  const auto skip =
      loss_of(supcon(batch(), {.temperature = 0.5, .empty_positives = EmptyPositives::kSkip}));
  EXPECT_NEAR(skip, zero * 12 / 11, 1e-12);
  EXPECT_NEAR(part(supcon(batch()), "valid_anchors"), 11.0 / 12, 1e-14);
}

TEST_F(SupConTest, TheBaseTemperatureScalesTheLoss) {
  const auto plain = loss_of(supcon(batch(), {.temperature = 0.2}));
  const auto scaled = loss_of(supcon(batch(), {.temperature = 0.2, .base_temperature = 0.07}));
  EXPECT_NEAR(scaled, plain * 0.2 / 0.07, 1e-11);
}

TEST_F(SupConTest, DetachedPositivesReceiveNoGradient) {
  const auto constant = z_.clone();
  const auto detached = [&](const torch::Tensor& z) {
    return supcon(make_batch(z, y_), {.temperature = 0.3, .detach_pos = true}).loss;
  };
  // The alignment of moving anchors with constant candidates, and the rest as it is.
  const auto by_hand = [&](const torch::Tensor& z) {
    const auto full = supcon(make_batch(z, y_), {.temperature = 0.3}).loss;
    const auto alignment = [&](const torch::Tensor& candidates) {
      auto sum = torch::zeros({}, torch::kFloat64);
      for (int64_t i = 0; i < 12; ++i) {
        const auto others = (y_ == y_[i]) & (torch::arange(12) != i);
        if (!others.any().item<bool>()) continue;
        const auto mean = candidates.index_select(0, others.nonzero().squeeze(1)).mean(0);
        sum = sum - z[i].dot(mean) / (0.3 * 12);
      }
      return sum;
    };
    return full - alignment(z) + alignment(constant);
  };
  EXPECT_LT(largest_difference(gradient_of(detached, z_), gradient_of(by_hand, z_)), 1e-12);
}

TEST_F(SupConTest, IsAtLeastTheLogarithmOfThePositives) {
  const auto y = balanced_labels(40, 4);
  for (const double spread : {0.0, 0.1, 1.0}) {
    const auto b = make_batch(clustered_rows(y, 8, spread, 6), y);
    const auto out = loss_of(supcon(b));
    const auto in = loss_of(supcon(b, {.variant = SupConVariant::kIn}));
    EXPECT_GE(in, std::log(9.0) - 1e-12);
    EXPECT_GE(out, in - 1e-12);
  }
}

TEST_F(SupConTest, UniformityIsTheLogSumExpOfLargeBatches) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  const auto y = balanced_labels(1000, 10);
  const auto z = random_unit_rows(1000, 16, 41);
  const auto s = (z.mm(z.t()) / 0.07).masked_fill(torch::eye(1000, torch::kBool), kMinusInfinity);
  EXPECT_NEAR(part(supcon(make_batch(z, y)), "uniformity"), s.logsumexp(1).mean().item<double>(),
              1e-11);
}

TEST_F(SupConTest, SupportsFloat32) {
  expect_float32_is_enough([](const ContrastiveBatch& b) { return supcon(b).loss; });
}

TEST_F(SupConTest, HalfPrecisionIsComputedInFloat32) {
  const auto loss = supcon(make_batch(z_.to(torch::kBFloat16), y_)).loss;
  EXPECT_EQ(loss.scalar_type(), torch::kFloat32);
}

TEST_F(SupConTest, ErrorsNameTheInvalidOption) {
  EXPECT_THAT(error_message_of([] { SupConLoss({.temperature = 0}); }),
              HasSubstr("supcon: temperature = 0 must be a number above 0"));
  EXPECT_THAT(error_message_of([this] { supcon(make_batch(z_, y_.narrow(0, 0, 5))); }),
              HasSubstr("anchor_labels have shape [5], expected [12]"));
  EXPECT_THAT(error_message_of([this] { supcon(make_batch(z_, y_.to(torch::kFloat32))); }),
              HasSubstr("expected integers"));
  auto shifted = batch();
  shifted.anchors = z_.narrow(0, 0, 4);
  shifted.anchor_labels = y_.narrow(0, 0, 4);
  shifted.anchor_offset = 3;
  EXPECT_THAT(error_message_of([&] { supcon(shifted); }), HasSubstr("anchor_offset 3"));
  shifted.anchor_offset = 9;
  EXPECT_THAT(error_message_of([&] { supcon(shifted); }),
              HasSubstr("do not lie within 12 candidates"));
}

}  // namespace
}  // namespace projnce::testing
